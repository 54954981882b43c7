/** What a conversation shows, each kind of it. */
import type { ComponentChildren } from "preact";
import type { WirePost, WireTurn } from "../adapter/web/wire.js";
import type { WireMessage } from "../web/wire.js";
import { Files } from "./files.js";
import { Icon } from "./icons.js";
import { Markdown } from "./markdown.js";
import { memo } from "./memo.js";
import type { Entry, ShownCall } from "./timeline.js";
import { ToolCard } from "./tool-card.js";
import { Button, Copy, Time } from "./ui.js";
import type { Unsent } from "./unsent.js";
import { UnsentEntry } from "./unsent-entry.js";
import { dayTitle, exactTime, timeOfDay } from "./words.js";

export interface Hands {
  /** The command of a button. */
  press(command: string): void;
  /** What was written and not sent goes back into the field. */
  takeBack(item: Unsent): void;
}

interface EntryViewProps {
  readonly entry: Entry;
  readonly hands: Hands | null;
  /** The answer that can be written anew. */
  readonly isRepeatable?: boolean;
  /** The message that somebody looks for. */
  readonly isSought?: boolean;
}

export function EntryView({ entry, hands, isRepeatable, isSought }: EntryViewProps) {
  switch (entry.kind) {
    case "day":
      return <Day at={entry.at} />;
    case "said":
      return <Said message={entry.message} isSought={isSought === true} />;
    case "answer":
      return (
        <Answer
          message={entry.message}
          calls={entry.calls}
          hands={isRepeatable ? hands : null}
          isSought={isSought === true}
        />
      );
    case "post":
      return <Post post={entry.post} hands={hands} />;
    case "command":
      return (
        <Own at={entry.at}>
          <code>{entry.text}</code>
        </Own>
      );
    case "turn":
      return <Turn turn={entry.turn} text={entry.text} calls={entry.calls} />;
    case "waiting":
      return (
        <Own at={entry.at} about="waits for its turn">
          {entry.text}
        </Own>
      );
    case "unsent":
      return <UnsentEntry item={entry.item} onTakeBack={(item) => hands?.takeBack(item)} />;
  }
}

function Day({ at }: { readonly at: number }) {
  return (
    <p class="day">
      <span>{dayTitle(at)}</span>
    </p>
  );
}

interface OwnProps {
  readonly at: number;
  readonly about?: string;
  readonly children: ComponentChildren;
}

/** What the reader said. */
function Own({ at, about, children }: OwnProps) {
  return (
    <article class="own" aria-label="You">
      <div class="bubble" dir="auto" title={exactTime(at)}>
        {children}
      </div>
      {about === undefined ? null : <p class="state">{about}</p>}
    </article>
  );
}

const Said = memo(({ message, isSought }: { readonly message: WireMessage; readonly isSought: boolean }) => {
  const { role, content, name, isMine, note, attachments = [], at, seq } = message;
  if (role === "system" || note)
    return (
      <article class={`note ${isSought ? "sought" : ""}`} id={`m${seq}`} aria-label="Note">
        <Markdown text={content} />
      </article>
    );
  return (
    <article
      class={`${isMine ? "own" : "other"} ${isSought ? "sought" : ""}`}
      id={`m${seq}`}
      aria-label={isMine ? "You" : (name ?? "Message")}
    >
      {isMine || name === undefined ? null : (
        <p class="author">
          <bdi>{name}</bdi>
        </p>
      )}
      <Files files={attachments} />
      {content === "" ? null : (
        <div class="bubble" dir="auto" title={exactTime(at)}>
          {content}
        </div>
      )}
    </article>
  );
});

interface AnswerProps {
  readonly message: WireMessage;
  readonly calls: readonly ShownCall[];
  /** Null if it can't be written anew. */
  readonly hands: Hands | null;
  readonly isSought: boolean;
}

const Answer = memo(
  ({ message, calls, hands, isSought }: AnswerProps) => {
    const { content, reasoning = "", attachments = [], seq, at } = message;
    const isEnd = content.trim() !== "" && calls.length === 0;
    return (
      <article class={`answer ${isSought ? "sought" : ""}`} id={`m${seq}`} aria-label="Answer">
        <Reasoning text={reasoning} />
        {content.trim() === "" ? null : <Markdown text={content} />}
        <Files files={attachments} />
        {calls.map((call) => (
          <ToolCard key={call.id} call={call} />
        ))}
        {isEnd || hands ? (
          <p class="answer-foot">
            {isEnd ? <Copy text={content} label="Copy this answer" /> : null}
            {hands ? (
              <Button kind="quiet" class="small" icon="retry" onClick={() => hands.press("/retry")}>
                Retry
              </Button>
            ) : null}
            <span title={exactTime(at)}>{timeOfDay(at)}</span>
          </p>
        ) : null}
      </article>
    );
  },
  // Its calls are made anew each time: they are the same if their results are.
  (one, next) =>
    one.message === next.message &&
    one.isSought === next.isSought &&
    one.hands === next.hands &&
    one.calls.length === next.calls.length &&
    one.calls.every(({ result }, place) => result === next.calls[place]?.result),
);

function Reasoning({ text, isOpen }: { readonly text: string; readonly isOpen?: boolean }) {
  if (text.trim() === "") return null;
  return (
    <details class="reasoning">
      <summary>
        <Icon name="chevron" size={14} />
        {isOpen ? "Thinking" : "Thoughts"}
      </summary>
      <Markdown text={text} />
    </details>
  );
}

interface TurnProps {
  readonly turn: WireTurn;
  readonly text: string;
  readonly calls: readonly ShownCall[];
}

function Turn({ turn, text, calls }: TurnProps) {
  const { reasoning, retry, isAsking } = turn;
  const isQuiet = text === "" && calls.length === 0 && !isAsking;
  return (
    <article class="answer live" aria-label="Answer" aria-busy="true" aria-live="off">
      <Reasoning text={reasoning} isOpen />
      {text === "" ? null : <Markdown text={text} />}
      {calls.map((call) => (
        <ToolCard key={call.id} call={call} />
      ))}
      {retry ? (
        <p class="state">
          The model's server is busy ({retry.reason}). Baton tries again at {timeOfDay(retry.until)}.
        </p>
      ) : null}
      {isAsking ? <p class="state">Waits for your answer.</p> : null}
      {isQuiet ? (
        <p class="state">
          <span class="dots" aria-hidden="true" /> {reasoning === "" ? "Working" : "Thinking"}
        </p>
      ) : null}
    </article>
  );
}

/** Words of Baton: a line break in them is one. */
const IN_LINES: ReadonlySet<WirePost["purpose"]> = new Set(["command", "notice"]);

const KINDS: Readonly<Partial<Record<WirePost["purpose"], string>>> = {
  announcement: "Continues here",
  retraction: "Does not continue here",
  outcome: "Move",
  doubt: "Not certain",
};

const Post = memo(({ post, hands }: { readonly post: WirePost; readonly hands: Hands | null }) => {
  const { text, buttons, files, purpose, at } = post;
  const isAnswer = purpose === "reply";
  const isQuestion = buttons.length > 0;
  return (
    <article
      class={isAnswer && !isQuestion ? "answer" : `notice ${isQuestion ? "question" : ""}`}
      aria-label={isAnswer ? "Answer" : "From Baton"}
    >
      {isAnswer && !isQuestion ? null : (
        <p class="notice-head">
          <Icon name={isQuestion ? "alert" : purpose === "command" ? "gateway" : "bell"} size={16} />
          {isQuestion ? "Baton asks" : (KINDS[purpose] ?? "Baton")}
          <Time at={at} />
        </p>
      )}
      {text === "" ? null : <Markdown text={text} breaks={IN_LINES.has(purpose)} />}
      <Files files={files} />
      {isQuestion ? (
        <div class="row">
          {buttons.map(({ label, command }, place) => (
            <Button
              key={command}
              kind={place === 0 ? "primary" : undefined}
              onClick={() => hands?.press(command)}
            >
              {label}
            </Button>
          ))}
        </div>
      ) : null}
    </article>
  );
});
