/** A conversation that is somewhere else, or over: to be read, and to go on with. */
import { useEffect, useState } from "preact/hooks";
import type { WireMessage, WireMessages, WireTranscript } from "../web/wire.js";
import { CallFailure, get, sentenceOf } from "./call.js";
import { onEvent } from "./events.js";
import { PlatformMark } from "./icons.js";
import { platformTitle } from "./me.js";
import { Menu } from "./menu.js";
import { joined } from "./merge.js";
import { MessageLog } from "./message-log.js";
import MoveDialog from "./move-dialog.js";
import { addressOfChat } from "./places.js";
import { randomId } from "./random-id.js";
import { go, Link } from "./router.js";
import { press } from "./run-command.js";
import { SideButton } from "./side.js";
import { transcriptOf } from "./timeline.js";
import { tellPerson } from "./toast.js";
import { Button, Empty, Failure, Loading, Time } from "./ui.js";
import { useTitle } from "./use-title.js";
import { beginningOf, counted } from "./words.js";

interface TranscriptViewProps {
  readonly id: string;
  readonly at: number | null;
}

/** How many messages after the sought one are read with it. */
const AFTER = 20;
const TOGETHER_MS = 300;
const MOST_TITLE = 60;

export default function TranscriptView({ id, at }: TranscriptViewProps) {
  const [known, setKnown] = useState<WireTranscript | null>(null);
  const [messages, setMessages] = useState<readonly WireMessage[]>([]);
  const [hasMore, setHasMore] = useState(false);
  const [hasNewer, setHasNewer] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  const [isNowhere, setNowhere] = useState(false);
  const [isMoving, setMoving] = useState(false);
  const path = `/api/conversations/${encodeURIComponent(id)}`;

  const load = async (): Promise<void> => {
    setFailure(null);
    try {
      const read = await get<WireTranscript>(path);
      const isIn = at === null || read.messages.some(({ seq }) => seq === at);
      const around = isIn ? null : await get<WireMessages>(`${path}/messages?before=${at + AFTER}`);
      setKnown(read);
      setMessages(around?.messages ?? read.messages);
      setHasMore((around ?? read).hasMore);
      setHasNewer(around !== null);
    } catch (error) {
      setNowhere(error instanceof CallFailure && error.status === 404);
      setFailure(sentenceOf(error));
    }
  };
  const page = async (query: string): Promise<WireMessages> => {
    const read = await get<WireMessages>(`${path}/messages?${query}`);
    setMessages((before) => joined(before, read.messages));
    return read;
  };
  const newer = async (): Promise<void> => {
    const read = await page(`after=${messages.at(-1)?.seq ?? -1}`);
    setHasNewer(read.hasMore);
  };
  /** What is said of it may have changed, too: it may have come here meanwhile. */
  const refresh = async (): Promise<void> => {
    setKnown(await get<WireTranscript>(path));
    if (!hasNewer) await newer();
  };

  useEffect(() => void load(), [path, at]);
  useEffect(() => {
    let soon: ReturnType<typeof setTimeout> | undefined;
    const stop = onEvent((event) => {
      const concerns =
        event.kind === "hello" ||
        (event.kind === "changed" && (event.what === "all" || (event.what === "session" && event.id === id)));
      if (!concerns || known === null) return;
      clearTimeout(soon);
      soon = setTimeout(() => void refresh().catch(() => undefined), TOGETHER_MS);
    });
    return () => {
      clearTimeout(soon);
      stop();
    };
  });

  useTitle(known === null ? "Conversation" : beginningOf(known.session.name, MOST_TITLE));
  if (!known)
    return (
      <div class="chat">
        <header class="top">
          <SideButton />
          <h1 class="top-title">Conversation</h1>
        </header>
        <div class="place">
          {failure === null ? (
            <Loading />
          ) : isNowhere ? (
            <Empty>
              This conversation does not exist, or it is not yours. <Link href="/">Go to the main chat</Link>
            </Empty>
          ) : (
            <Failure text={failure} retry={() => void load()} />
          )}
        </div>
      </div>
    );
  const { session, policy } = known;
  const inPage = session.thread !== undefined && session.endedAt === null ? session.thread : undefined;
  const goOn = (): void => {
    const thread = randomId();
    press(thread, `/resume ${session.id}`)
      .then(() => go(addressOfChat(thread)))
      .catch((error: unknown) => tellPerson(sentenceOf(error), "error"));
  };
  return (
    <div class="chat">
      <header class="top">
        <SideButton />
        <PlatformMark platform={session.platform} title={platformTitle(session.platform)} />
        <h1 class="top-title">
          <bdi>{beginningOf(session.name, MOST_TITLE)}</bdi>
        </h1>
        {inPage === undefined ? (
          <Button kind="primary" onClick={goOn}>
            Continue here
          </Button>
        ) : (
          <Link href={addressOfChat(inPage)} class="button primary">
            Open chat
          </Link>
        )}
        <Menu label="More" items={[{ label: "Move to…", icon: "move", onChoose: () => setMoving(true) }]} />
      </header>
      <div class="about-session">
        <bdi>{session.place || platformTitle(session.platform)}</bdi>
        <span>{counted(session.messageCount, "message")}</span>
        <span>
          {session.endedAt === null ? "last used " : "ended "}
          <Time at={session.endedAt ?? session.updatedAt} />
        </span>
        {policy === "" ? null : <span>{policy}</span>}
      </div>
      <MessageLog
        entries={transcriptOf(messages)}
        hands={null}
        hasMore={hasMore}
        onOlder={async () => setHasMore((await page(`before=${messages[0]?.seq ?? 0}`)).hasMore)}
        onNewer={hasNewer ? newer : null}
        isBusy={session.isWorking}
        empty={<Empty>Nothing was said here.</Empty>}
        sought={at}
      />
      {isMoving ? (
        <MoveDialog thread={inPage} sessionId={session.id} onClose={() => setMoving(false)} />
      ) : null}
    </div>
  );
}
