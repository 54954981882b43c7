/**
 * The adapter port: one platform, spoken. An adapter serves one connection until that ends, and keeps nothing: the
 * gateway saves what it receives before the platform hears that it arrived, and what it sends stays in the outbox until
 * it is there. The gateway keeps lines up, one after the other (`gateway/line-keeper.ts`).
 */
import type { SessionId } from "../session/ids.js";
import type { Part } from "../session/parts.js";
import type { Platform } from "../session/platform.js";
import type { Address, SessionSource } from "../session/source.js";
import { timerMs } from "../util/timer-ms.js";
import type { LiveReply } from "./live-reply.js";

export interface Adapter {
  readonly platform: Platform;
  /** Which account of the platform this is; message ids are unique within it and a chat. */
  readonly account: string;
  readonly capabilities: Capabilities;
  /**
   * Serves one connection until it ends, and never reconnects by itself. It calls `line.up` once it can be used, and goes
   * when `line.end` says so. It settles when nothing of the connection is left; what it throws says why the connection
   * ended, best a `ConnectError`. The platform hears that a message arrived only once `line.receive` has returned; what
   * could not be received comes again.
   */
  serve(line: Line): Promise<void>;
}

/** What an adapter is given for one connection. */
export interface Line {
  readonly receive: Receive;
  /** What the account remembers from one process to the next: where it stopped to read, what it has used up. */
  readonly memory: Memory;
  /** For the platform's menu. */
  readonly commands: readonly { readonly name: string; readonly description: string }[];
  /** True if reactions can mean something here: otherwise the platform is not asked for them. */
  readonly reactions: boolean;
  /** The connection can be used, by this speaker, until it ends. */
  up(speaker: Speaker): void;
  /** Asks the connection to go. */
  readonly end: AbortSignal;
  /** Whether this sender is let in: what costs the platform a request is looked up for those only. */
  knows(sender: SessionSource): Promise<boolean>;
  /** For the log: what went wrong after the call for it had gone well, or beside the connection. */
  problem(sentence: string): void;
}

/** Says things on a platform. It lives as long as its line: the gateway fails every later call for it. */
export interface Speaker {
  /** Sends a letter, and returns the platform's id of it: of an album, that of its first message. Fails with a `SendError`. */
  send(letter: Letter): Promise<{ readonly messageId: string }>;
  /** Replaces the text of a message sent before; buttons that were under it go. */
  edit?(letter: Letter, messageId: string): Promise<void>;
  /** Takes the buttons off a message, if its text cannot be replaced; `why` says why, and is empty if that is known. */
  removeButtons?(messageId: string, why: string): Promise<void>;
  /** Takes a message of ours back, so that nobody sees that it was there. One that is gone already is no failure. */
  remove?(address: Address, messageId: string): Promise<void>;
  /**
   * Shows a text that is still being written, in place of what the same delivery id showed before. It is no message: it
   * goes when a message is sent there, or by itself after `drafts.lastMs`. False if there are none at this address.
   */
  draft?(letter: Letter): Promise<boolean>;
  /**
   * Whether a message is there of which a call did not tell, or that was being sent when a process ended. `not there` only
   * if that is certain, or if it may be sent again without being there twice; null if the platform cannot tell. It fails
   * if the platform cannot be asked now.
   */
  find?(letter: Letter): Promise<FoundMessage>;
  /** Shows that an answer is being made, for as long as the platform shows it. */
  typing?(address: Address): Promise<void>;
  /**
   * Says what the bot is doing in the platform's own line for that. The words follow its name: `is running terminal`. The
   * line goes when a message is sent there, or if the words are empty. False if there is none at this address.
   */
  status?(address: Address, words: string): Promise<boolean>;
  /** Marks a message of a person's. */
  react?(address: Address, messageId: string, mark: Mark): Promise<void>;
  /**
   * Shows a turn while it runs, if the surface can do better than sends and edits. `messageId`: the message that the turn
   * answers; null if a command asked for it.
   */
  live?(address: Address, messageId: string | null): LiveReply;
  /**
   * Fetches a file of a message by its reference, which an earlier connection of the account gave out, perhaps in another
   * process. It fails as `RemoteFile.read` does.
   */
  fetch?(file: FileReference, maxBytes: number, end: AbortSignal): Promise<Uint8Array>;
  /**
   * Where a message at that address would come from, though nobody may have written there yet: the session key made of
   * it is that of what people write there. In a chat of two it names the other one. Null if we have no part in that
   * chat, or it is not there, as far as the platform tells. Fails with a `SendError`.
   */
  place?(address: Address): Promise<SessionSource | null>;
  /**
   * A thread for a handoff, in which this person takes part; null if the place has none. `once` names the making: with
   * `threadsOnce`, the same one twice is one thread, also by another process. Fails with `ThreadRefused` if the bot may not
   * make one: then the chat itself is the place.
   */
  createThread?(parent: Address, title: string, person: string | null, once: string): Promise<Address | null>;
}

/** What a look for a message found: the message, that it is not there, or nothing certain. */
export type FoundMessage = { readonly messageId: string } | "not there" | null;

/** What a platform can do and how much it accepts, known without its client library. */
export interface PlatformLimits {
  /** The longest text of one message, counted in `unit`, or by the adapter's `lengthOf`. */
  readonly maxText: number;
  readonly unit: "utf16" | "bytes";
  readonly edit: boolean;
  readonly threads: boolean;
  /** True if a thread that is made twice under one name exists once. */
  readonly threadsOnce?: boolean;
  /** True if a delivery that is sent twice arrives once: then it may be sent again after a crash. */
  readonly idempotent?: boolean;
  /** True if the platform repeats a message until it is accepted, also to the next process. */
  readonly redelivers?: boolean;
  /** How long the platform shows typing; Baton repeats it before that. */
  readonly typingMs?: number;
  /** The least time between two edits of one message. */
  readonly paceMs?: number;
  /** How long the platform shows a draft, and the least time between two of one text; absent if it has none. */
  readonly drafts?: { readonly lastMs: number; readonly paceMs: number };
  /** The largest file that can be sent, in bytes, and how large the files of one letter are together; absent if none can. */
  readonly maxFile?: number;
  /** The longest text that goes with files, counted as `maxText`; absent if text and files are messages of their own. */
  readonly maxCaption?: number;
  /** How many files go in one letter; 1 if absent. */
  readonly maxAlbum?: number;
  /** True if a recording can be sent as a voice message. */
  readonly voice?: boolean;
  /** How many buttons go under one letter; absent if none. */
  readonly buttons?: number;
}

export interface Capabilities extends PlatformLimits {
  /** How long a text is as the platform counts it, if its markup counts. */
  readonly lengthOf?: (text: string) => number;
  /** True if several processes may have the account at once. */
  readonly shared?: boolean;
  /** How many characters of a message are read, if more than usual: the person sits at this machine. */
  readonly maxInbound?: number;
  /** True if nobody is there to answer a question while a turn runs, as in a script. */
  readonly isUnattended?: boolean;
  /** Commands that it answers itself, whatever the gateway has: `/help` lists them there. */
  readonly ownCommands?: Line["commands"];
  /** True if a person sits there and answers a question with one key (`LiveReply.asked`), also while a script runs. */
  readonly keys?: boolean;
}

export interface Memory {
  read(name: string): Promise<string | null>;
  write(name: string, value: string): Promise<void>;
}

export type Mark = "seen" | "failed";

export type Receive = (message: InboundMessage) => Promise<Received>;

/** Every kind of entry passes the same gate. */
export interface InboundMessage {
  /**
   * A `button` was pressed: its text is the command of the button, and its id that of the press. A `reaction` was put on a
   * message: its text is the emoji, or `:name:` if it is the platform's own, and its id that of the message. One that was
   * taken off is not told.
   */
  readonly kind: "message" | "edit" | "deletion" | "reaction" | "button" | "command";
  /** Of a deletion: where the message was. Platforms do not tell who deleted it. */
  readonly source: SessionSource;
  /** The platform's id, unique in its chat; a redelivery has the same, and an edit or a deletion that of what it changes. */
  readonly messageId: string;
  /** May be empty: somebody who only names the bot in answer to a question asks that question. */
  readonly text: string;
  /** What it has besides text and files: a sticker, a poll, a place. The agent reads one line for each. */
  readonly parts?: readonly Part[];
  /** The message it answers, as far as the platform tells. */
  readonly replyTo?: Answered;
  /** It was written elsewhere and passed on: text, and never a command. `from`: who wrote it, as the platform tells. */
  readonly forwarded?: { readonly from?: string };
  /** It is text whatever it says: neither a command nor the answer to a question. The terminal knows a path or a pipe. */
  readonly isText?: true;
  /** False for what is said in a group to others. */
  readonly isAddressed?: boolean;
  readonly files?: readonly RemoteFile[];
  /** It is meant for this session only; the terminal knows which one it shows. */
  readonly session?: SessionId;
  /** Messages of a chat with the same one were sent together, as the pictures of an album are: one turn answers them. */
  readonly album?: string;
}

/** A message that another one answers, in this chat or elsewhere. */
export interface Answered {
  readonly messageId: string;
  readonly text?: string;
  readonly parts?: readonly Part[];
  readonly files?: readonly RemoteFile[];
  /** Who wrote it, as the platform tells; absent if it was the bot. */
  readonly from?: string;
}

/** A file that came with a message; fetched only once its sender was let in. */
export interface RemoteFile {
  /** As the sender says: neither is to be believed. */
  readonly name?: string;
  readonly mediaType: string;
  /** A voice or video note: somebody spoke instead of typing. */
  readonly voice?: true;
  /** It is of the message that was answered; the gateway sets it. */
  readonly answered?: true;
  /**
   * By what `Speaker.fetch` fetches it again if this process ends before it is here: an id or an address, never a token.
   * Without it, such a file is lost, and the message says so.
   */
  readonly ref?: string;
  /** Fails where it is larger, and as soon as `end` says that nobody waits for it any more. */
  read(maxBytes: number, end: AbortSignal): Promise<Uint8Array>;
}

/** What is stored of a file until it is here. */
export type FileReference = Omit<RemoteFile, "read" | "ref"> & { readonly ref: string };

/** `ignored`: it was not meant for us. */
export type Received = "accepted" | "duplicate" | "refused" | "ignored";

/** Why something is said. */
export const PURPOSES = [
  /** The agent's words. */
  "reply",
  /** Baton's own. */
  "notice",
  /** The answer to a command. */
  "command",
  /** A conversation continues here. */
  "announcement",
  /** It does not continue here after all. */
  "retraction",
  /** What became of a handoff, for the person who asked for it. */
  "outcome",
  /** It says that another message may not have arrived. If this one is lost too, Baton says nothing more. */
  "doubt",
] as const;
export type Purpose = (typeof PURPOSES)[number];

/** What is said at once: a text, or files with or without one. */
export interface Letter {
  readonly address: Address;
  /** A reply unless it says otherwise. */
  readonly purpose?: Purpose;
  /** Markdown. Beside files it is at most as long as `maxCaption`, and empty for audio or if the platform has no captions. */
  readonly text: string;
  /** At most `maxAlbum`, all of them pictures and videos or none. A voice message goes alone. */
  readonly files?: readonly LocalFile[];
  /** At most as many as the platform takes, never beside files. The text says the same in words. */
  readonly buttons?: readonly LetterButton[];
  /** Ours, and the same for every attempt: an idempotency key where the platform takes one. */
  readonly deliveryId: string;
  /** When it was written, in ms: the platform cannot have it from before. `find` looks from then on. */
  readonly writtenAt?: number;
  /** The message that it answers, shown as such where that is usual. */
  readonly replyTo?: string;
  /** The session whose transcript says the same, if one does. */
  readonly transcript?: SessionId;
  /** A secret for whoever reads it now, such as a code: it is shown and not kept. */
  readonly isSecret?: true;
  /** It is true at its address only: where the thread is gone, it fails rather than going to the chat around it. */
  readonly onlyThere?: true;
}

/** A press means that whoever pressed sends the command, in that chat and with their own rights. */
export interface LetterButton {
  /** At most 20 characters. */
  readonly label: string;
  /** As in `/approve 15`. */
  readonly command: string;
  /** A word for it, if it answers a question. In a terminal the first letter is its key, so no two begin alike. */
  readonly word?: string;
}

/** A file of our own media store. */
export interface LocalFile {
  readonly path: string;
  readonly name: string;
  readonly mediaType: string;
  /** A recording, to be shown as a voice message if the platform has those. */
  readonly voice?: true;
  /** Where the agent has it on this machine; absent if it has it nowhere. */
  readonly from?: string;
}

/** A text that many times as long as one message is not rendered to find out that it does not fit. */
const CERTAINLY_TOO_LONG = 4;

/** How long a text is as the platform counts. */
export function lengthIn({ maxText, unit, lengthOf }: Capabilities, text: string): number {
  if (lengthOf) return text.length > CERTAINLY_TOO_LONG * maxText ? text.length : lengthOf(text);
  return unit === "bytes" ? Buffer.byteLength(text) : text.length;
}

/** Whether a platform takes the text as one message. */
export function fitsInto(capabilities: Capabilities, text: string): boolean {
  return lengthIn(capabilities, text) <= capabilities.maxText;
}

/** Why a text was not sent. `unknown`: it may or may not have arrived, and is never blindly sent again. */
export class SendError extends Error {
  readonly outcome: "permanent" | "retryable" | "unknown";
  readonly retryAfterMs: number | undefined;

  constructor(
    outcome: "permanent" | "retryable" | "unknown",
    message: string,
    options: { retryAfterMs?: number; cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause });
    this.outcome = outcome;
    const { retryAfterMs = Number.NaN } = options;
    // As a platform says it: it may be any number, and what is waited for is kept and timed.
    this.retryAfterMs = Number.isNaN(retryAfterMs) ? undefined : Math.ceil(timerMs(retryAfterMs));
  }
}

/** The bot may not make threads there, as a sentence that says so. It may still write in the chat itself. */
export class ThreadRefused extends SendError {
  constructor(message: string, options: { cause?: unknown } = {}) {
    super("permanent", message, options);
  }
}

/** Why a connection ended, or did not come about. `permanent`: another try helps only after somebody mends something. */
export class ConnectError extends Error {
  readonly outcome: "permanent" | "retryable";
  /** When the platform may be asked again; 0 if it asks for another connection at once, which is no trouble. */
  readonly retryAfterMs: number | undefined;

  constructor(
    outcome: "permanent" | "retryable",
    message: string,
    { retryAfterMs, ...options }: { retryAfterMs?: number; cause?: unknown } = {},
  ) {
    super(message, options);
    this.outcome = outcome;
    this.retryAfterMs = retryAfterMs === undefined ? undefined : timerMs(retryAfterMs);
  }
}
