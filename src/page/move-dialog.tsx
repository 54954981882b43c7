/** Moves a conversation to another chat, and shows how that goes. */
import { useRef, useState } from "preact/hooks";
import type { WireLastHandoff, WirePlace, WireTranscript } from "../web/wire.js";
import { CallFailure, get, sentenceOf } from "./call.js";
import { PlatformMark } from "./icons.js";
import { useLoaded } from "./loaded.js";
import { platformTitle } from "./me.js";
import { randomId } from "./random-id.js";
import { Dialog, Empty, Failure, Loading, Time } from "./ui.js";
import { said } from "./views/act.js";
import { Badge } from "./views/bits.js";
import { moveWords } from "./views/state-words.js";

interface MoveDialogProps {
  /** `undefined`: it is not in the page, so it is brought here first. */
  readonly thread: string | null | undefined;
  readonly sessionId: string | null;
  readonly onClose: () => void;
}

interface AskedMove {
  readonly place: WirePlace;
  /** The last move before this one; undefined until that is known. */
  readonly before?: string | null;
  /** What Baton said to it; null until it has said something. */
  readonly answer: string | null;
}

export default function MoveDialog({ thread, sessionId: current, onClose }: MoveDialogProps) {
  const places = useLoaded<{ items: readonly WirePlace[] }>("/api/places", []);
  // Once it has moved, another conversation is where it was.
  const opened = useRef(current);
  opened.current ??= current;
  const sessionId = opened.current;
  const from = useRef(thread);
  const [asked, setAsked] = useState<AskedMove | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const move = async (place: WirePlace): Promise<void> => {
    if (sessionId === null) return;
    setFailure(null);
    setAsked({ place, answer: null });
    try {
      if (from.current === undefined) from.current = await broughtHere(sessionId);
      const before = await lastMove(sessionId);
      setAsked({ place, before, answer: null });
      const answer = await said(`/handoff ${place.word}`, from.current);
      // A move that Baton accepts is there before Baton says so.
      if ((await lastMove(sessionId)) === before) throw new CallFailure(409, "refused", answer);
      setAsked({ place, before, answer });
    } catch (error) {
      setAsked(null);
      setFailure(sentenceOf(error));
    }
  };
  return (
    <Dialog title="Move this conversation" onClose={onClose}>
      {sessionId === null ? (
        <Empty>Write something first: there is nothing to move yet.</Empty>
      ) : asked ? (
        <Progress sessionId={sessionId} asked={asked} />
      ) : (
        <>
          <p class="muted">It goes on there, with everything that was said. You can bring it back.</p>
          {failure === null ? null : <Failure text={failure} />}
          {places.failure === null ? null : <Failure text={places.failure} retry={places.reload} />}
          {places.value === null && places.failure === null ? <Loading /> : null}
          {places.value?.items.length === 0 ? (
            <Empty>
              There is no other chat yet. Write to Baton in one, such as on your phone, and it is listed here.
            </Empty>
          ) : null}
          <ul class="choices">
            {places.value?.items.map((place) => (
              <li key={place.word}>
                <button type="button" class="choice" onClick={() => void move(place)}>
                  <PlatformMark platform={place.platform} title={platformTitle(place.platform)} />
                  <bdi>{place.name}</bdi>
                  <small>{platformTitle(place.platform)}</small>
                </button>
              </li>
            ))}
          </ul>
        </>
      )}
    </Dialog>
  );
}

function addressOfLast(sessionId: string): string {
  return `/api/handoffs?session=${encodeURIComponent(sessionId)}`;
}

/** The id of it; null if it has never moved. */
async function lastMove(sessionId: string): Promise<string | null> {
  const { last } = await get<WireLastHandoff>(addressOfLast(sessionId));
  return last?.id ?? null;
}

/** The thread of the page in which it is now. */
async function broughtHere(sessionId: string): Promise<string> {
  const thread = randomId();
  const answer = await said(`/resume ${sessionId}`, thread);
  const { session } = await get<WireTranscript>(`/api/conversations/${encodeURIComponent(sessionId)}`);
  if (session.thread !== thread) throw new CallFailure(409, "refused", answer);
  return thread;
}

interface ProgressProps {
  readonly sessionId: string;
  readonly asked: AskedMove;
}

function Progress({ sessionId, asked: { place, before, answer } }: ProgressProps) {
  const { value, failure } = useLoaded<WireLastHandoff>(addressOfLast(sessionId), ["handoffs", "session"]);
  const last = value?.last ?? null;
  const move = before !== undefined && last?.id !== before ? last : null;
  const { words, tone, sentence } = moveWords(move?.state ?? "asked");
  return (
    <div class="stack" role="status">
      <p>
        To <bdi>{place.name}</bdi>
        {move ? (
          <>
            , <Time at={move.at} />
          </>
        ) : null}
      </p>
      <p>
        <Badge tone={tone}>{words}</Badge> {sentence}
      </p>
      {move?.state === "pending" && answer !== null ? <p>{answer}</p> : null}
      {move?.why ? (
        <p class="muted">
          <bdi>{move.why}</bdi>
        </p>
      ) : null}
      {failure === null ? null : <Failure text={failure} />}
    </div>
  );
}
