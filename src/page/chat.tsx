/** A conversation of the page: what was said, what happens now, and where one writes. */
import { useCallback, useEffect, useMemo, useState } from "preact/hooks";
import type { WirePost, WireTurn } from "../adapter/web/wire.js";
import type { WireSession } from "../web/wire.js";
import { sentenceOf } from "./call.js";
import { ChatData } from "./chat-data.js";
import { Composer } from "./composer.js";
import { hasFiles } from "./dropped.js";
import type { Hands } from "./entries.js";
import { Lazy } from "./lazy.js";
import { liveTurns, turnOf } from "./live-turns.js";
import { me } from "./me.js";
import { Menu } from "./menu.js";
import { MessageLog } from "./message-log.js";
import { takeBack, unsent, write } from "./outbox.js";
import { press } from "./run-command.js";
import { SideButton } from "./side.js";
import { timelineOf } from "./timeline.js";
import { tellPerson } from "./toast.js";
import { Button, Failure, Loading } from "./ui.js";
import type { Unsent, UnsentFile } from "./unsent.js";
import { beginningOf } from "./words.js";

const MOST_TITLE = 60;
const NOT_TAKEN = {
  sending: "This message is being sent now. You can't take it back.",
  gone: "This message does not wait any more. It was sent, or you took it back in another tab.",
};
const moveDialog = () => import("./move-dialog.js");

export function Chat({ thread }: { readonly thread: string | null }) {
  const data = useMemo(() => new ChatData(thread), [thread]);
  useEffect(() => () => data.close(), [data]);
  const [takenBack, setTakenBack] = useState<Unsent | null>(null);
  const [isMoving, setMoving] = useState(false);
  const [sent, setSent] = useState(0);
  const [dropped, setDropped] = useState<readonly File[]>([]);
  const [isOver, setOver] = useState(false);
  const chat = data.chat.value;
  const session = chat?.session ?? null;
  const running = turnOf(liveTurns.value, thread);
  const say = useCallback(
    (command: string): void => {
      press(thread, command).catch((error: unknown) => tellPerson(sentenceOf(error), "error"));
    },
    [thread],
  );
  const hands = useMemo<Hands>(
    () => ({
      press: say,
      takeBack: (item) => {
        takeBack(item).then(
          (outcome) => (outcome === "taken" ? setTakenBack(item) : tellPerson(NOT_TAKEN[outcome], "error")),
          (error: unknown) => tellPerson(sentenceOf(error), "error"),
        );
      },
    }),
    [say],
  );
  const settling = data.settlingTurns.value.map(({ item }) => item);
  const entries = timelineOf({
    sessionId: session?.id ?? null,
    messages: chat?.messages ?? [],
    posts: chat?.posts ?? [],
    waiting: chat?.waiting ?? [],
    unsent: unsent.value.filter((item) => item.thread === thread),
    accepted: data.accepted.value.map(({ item }) => item),
    typed: data.typed.value,
    turns: running ? [...settling.filter(({ id }) => id !== running.id), grown(running, settling)] : settling,
  });
  const send = (text: string, files: readonly UnsentFile[]): void => {
    const after = chat?.messages.at(-1)?.seq ?? -1;
    void write({ thread, text, files, after });
    setSent(sent + 1);
  };
  const isWorking = running !== null || chat?.turn != null;
  const last = chat?.messages.at(-1);
  const repeatable = !isWorking && last?.role === "assistant" ? `message ${last.seq}` : null;
  const retry = (): void => say("/retry");
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: who uses the keyboard has the button that attaches files.
    <div
      class="chat"
      onDragOver={(event) => {
        if (!hasFiles(event)) return;
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setOver(false);
      }}
      onDrop={(event) => {
        setOver(false);
        if (!hasFiles(event)) return;
        event.preventDefault();
        setDropped([...(event.dataTransfer?.files ?? [])]);
      }}
    >
      {isOver ? <p class="drop-here">Drop files here</p> : null}
      <Head
        thread={thread}
        session={session}
        policy={chat?.policy ?? null}
        isWorking={isWorking}
        onSay={say}
        onMove={() => setMoving(true)}
      />
      {chat === null && data.failure.value === null ? <Loading /> : null}
      <MessageLog
        entries={entries}
        hands={hands}
        repeatable={repeatable}
        hasMore={chat?.hasMore === true}
        onOlder={() => data.older()}
        isBusy={isWorking}
        sent={sent}
        empty={chat !== null ? <Welcome thread={thread} /> : null}
        end={
          <>
            {data.secrets.value.map((secret) => (
              <p class="notice secret" key={secret}>
                {secret}
              </p>
            ))}
            <Trouble
              why={data.trouble.value}
              posts={chat?.posts ?? []}
              onRetry={repeatable === null ? retry : null}
            />
            {data.failure.value === null ? null : (
              <Failure text={data.failure.value} retry={() => data.reload()} />
            )}
          </>
        }
      />
      <Composer
        thread={thread}
        isWorking={isWorking}
        onSend={send}
        onStop={() => say("/stop")}
        takenBack={takenBack}
        dropped={dropped}
      />
      {isMoving ? (
        <Lazy
          load={moveDialog}
          given={{ thread, sessionId: session?.id ?? null, onClose: () => setMoving(false) }}
        />
      ) : null}
    </div>
  );
}

/** Parts of it that were saved, and not read yet, are still shown. */
function grown(turn: WireTurn, settling: readonly WireTurn[]): WireTurn {
  const before = settling.find(({ id }) => id === turn.id);
  if (!before) return turn;
  const more = turn.calls.filter(({ id }) => !before.calls.some((call) => call.id === id));
  return { ...turn, text: before.text + turn.text, calls: [...before.calls, ...more] };
}

interface TroubleProps {
  /** Why the last turn failed; null if it did not. */
  readonly why: string | null;
  readonly posts: readonly WirePost[];
  /** Null if an answer above can be written anew. */
  readonly onRetry: (() => void) | null;
}

/** A letter says it, too: then only the button is missing, as long as nothing else was said. */
function Trouble({ why, posts, onRetry }: TroubleProps) {
  if (why === null) return null;
  const letters = posts.filter(({ isGone }) => !isGone).map(({ text }) => text);
  if (!letters.includes(why))
    return <Failure text={why} {...(onRetry ? { retry: onRetry } : {})} action="Retry" />;
  if (onRetry === null || letters.at(-1) !== why) return null;
  return (
    <p class="answer-foot">
      <Button kind="quiet" class="small" icon="retry" onClick={onRetry}>
        Retry
      </Button>
    </p>
  );
}

interface HeadProps {
  readonly thread: string | null;
  readonly session: WireSession | null;
  /** When it starts fresh; null if nothing was said in it. */
  readonly policy: string | null;
  readonly isWorking: boolean;
  readonly onSay: (command: string) => void;
  readonly onMove: () => void;
}

function Head({ thread, session, policy, isWorking, onSay, onMove }: HeadProps) {
  const name = session?.name ?? (thread === null ? "Main chat" : "New chat");
  const title = beginningOf(name, MOST_TITLE);
  useEffect(() => {
    document.title = `${title} · Baton`;
    return () => {
      document.title = "Baton";
    };
  }, [title]);
  const ask = (label: string, icon: string, command: string) => ({
    label,
    icon,
    onChoose: () => onSay(command),
  });
  return (
    <header class="top">
      <SideButton />
      <h1 class="top-title">
        <bdi>{title}</bdi>
      </h1>
      {isWorking ? (
        <span class="working" role="status">
          <span class="dot" aria-hidden="true" />
          Working
        </span>
      ) : null}
      <Menu
        label="More"
        note={policy}
        items={[
          { label: "Move to…", icon: "move", onChoose: onMove },
          ask("Continue in a copy", "branch", "/branch"),
          ask("Take back the last message", "undo", "/undo"),
          ask("Start fresh here", "plus", "/new"),
          ask("Show the status", "alert", "/status"),
        ]}
      />
    </header>
  );
}

function Welcome({ thread }: { readonly thread: string | null }) {
  return (
    <div class="welcome">
      <img src="/icon.svg" alt="" width="44" height="44" />
      <p class="welcome-title">
        Hello, <bdi>{me.value?.name ?? ""}</bdi>.
      </p>
      <p class="muted">
        {thread === null
          ? "Write something to begin. Notices and the results of your jobs arrive here, too."
          : "Write something to begin. You can move this conversation to another chat at any time."}
      </p>
    </div>
  );
}
