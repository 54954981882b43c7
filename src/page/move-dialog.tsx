/** Moves a conversation to another chat, and shows how that goes. */
import { useState } from "preact/hooks";
import type { WireHandoff, WirePlace } from "../web/wire.js";
import { sentenceOf } from "./call.js";
import { PlatformMark } from "./icons.js";
import { useLoaded } from "./loaded.js";
import { platformTitle } from "./me.js";
import { randomId } from "./random-id.js";
import { press } from "./run-command.js";
import { Dialog, Empty, Failure, Loading, Time } from "./ui.js";

interface MoveDialogProps {
  /** `undefined`: it is not in the page, so it is brought here first. */
  readonly thread: string | null | undefined;
  readonly sessionId: string | null;
  readonly onClose: () => void;
}

const STATES: Readonly<Record<string, { readonly words: string; readonly look: string }>> = {
  pending: { words: "It waits until the running answer is done.", look: "warn" },
  running: { words: "It is on its way.", look: "warn" },
  completed: { words: "It continues there now.", look: "ok" },
  failed: { words: "It could not be moved.", look: "danger" },
  cancelled: { words: "The move was cancelled.", look: "" },
};

export default function MoveDialog({ thread, sessionId, onClose }: MoveDialogProps) {
  const places = useLoaded<{ items: readonly WirePlace[] }>("/api/places", []);
  const [asked, setAsked] = useState<{ readonly place: WirePlace; readonly at: number } | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const move = async (place: WirePlace): Promise<void> => {
    setFailure(null);
    setAsked({ place, at: Date.now() });
    try {
      let from = thread;
      if (from === undefined) {
        from = randomId();
        await press(from, `/resume ${sessionId}`);
      }
      await press(from, `/handoff ${place.word}`);
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
        <Progress sessionId={sessionId} place={asked.place} />
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

interface ProgressProps {
  readonly sessionId: string;
  readonly place: WirePlace;
}

function Progress({ sessionId, place }: ProgressProps) {
  const { value, failure } = useLoaded<{ items: readonly WireHandoff[] }>("/api/handoffs", [
    "handoffs",
    "session",
  ]);
  const handoff = value?.items
    .filter((each) => each.sessionId === sessionId)
    .sort((one, other) => other.at - one.at)[0];
  const { words, look } = STATES[handoff?.state ?? ""] ?? { words: "Baton was asked to move it.", look: "" };
  return (
    <div class="stack" role="status">
      <p>
        To <bdi>{place.name}</bdi>
        {handoff ? (
          <>
            , asked <Time at={handoff.at} />
          </>
        ) : null}
      </p>
      <p>
        <span class={`badge ${look}`}>{handoff?.state ?? "asked"}</span> {words}
      </p>
      {handoff?.why ? <p class="muted">{handoff.why}</p> : null}
      {failure === null ? null : <Failure text={failure} />}
    </div>
  );
}
