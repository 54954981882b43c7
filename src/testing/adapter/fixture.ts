/** What the contract of adapters needs of a platform: an adapter, and both ends of its platform. */
import type { Adapter } from "../../adapter/adapter.js";
import type { Address } from "../../session/source.js";

/** What somebody writes, and where. */
export interface Written {
  readonly text: string;
  /** In the chat of two, unless told. */
  readonly in?: "dm" | "group" | "thread";
  /** The thread's id, as `createThread` gave it; the last one made unless told. */
  readonly threadId?: string;
  /** Who writes: the usual person unless told. */
  readonly from?: string;
  /** What they call themselves for now. */
  readonly name?: string;
  /** In a group: it names the bot. */
  readonly mentions?: boolean;
  /** The platform's id of the message that it answers. */
  readonly replyTo?: string;
  readonly files?: readonly {
    readonly name: string;
    readonly mediaType: string;
    readonly bytes: Uint8Array;
  }[];
  readonly isBot?: boolean;
}

/**
 * What the platform does to the next call that sends. `swallowed`: it takes the message and does not answer.
 * `revoked token` holds from then on, for connecting too.
 */
export type Trouble = "rate limited" | "server error" | "refused" | "swallowed" | "revoked token";

/**
 * What the way to the platform does. The first two hold until the other is said; each of the others meets the next call
 * that sends. `after`: the platform has taken the message.
 */
export type Fault =
  /** Nobody listens: connections are refused, and a line that is up is cut. */
  | "unreachable"
  | "reachable"
  /** The connection is reset. */
  | "reset"
  | "reset after"
  /** A proxy answers with 502 and an HTML page. */
  | "page"
  | "page after"
  /** A proxy answers with 429, `Retry-After: 3` and an HTML page. */
  | "page to wait"
  /** The answer says that all is well, and breaks off in the middle. The platform has taken the message. */
  | "half an answer"
  /** It accepts the call and never answers: the connection is half open. */
  | "silence";

/** What meets the next attempt to connect, and only that one: as `Fault` has it. */
export type DoorFault = "reset" | "page" | "silence";

/** What a fixture may be unable to play, though it has the members for it. */
export type Unplayable =
  /** Messages that answer others. */
  | "replies"
  /** People who call themselves what they like. */
  | "names"
  | "bots"
  /** Commands in a group that name nobody. */
  | "commands"
  /** Messages without words. */
  | "empty texts"
  /** Proxies that answer with pages: messages do not go by HTTP. */
  | "pages"
  /** The same for connections: no proxy can be there. */
  | "pages at the door"
  /** Messages that were written while nobody was connected, and come later. */
  | "missed messages"
  /** The server prints to the console, so nobody can tell whether the adapter does. */
  | "silence"
  | Trouble;

/** A file as the other end has it. */
export interface ShownFile {
  readonly name: string;
  readonly bytes: Uint8Array;
  /** It is shown as a voice message. */
  readonly voice?: boolean;
}

/**
 * An adapter that is not connected yet, and both ends of its platform. What a platform does not have, or its server
 * cannot play, is left out: those cases are skipped, with that reason.
 */
export interface AdapterFixture {
  readonly adapter: Adapter;
  /** A chat of two that can be sent to. */
  readonly address: Address;
  readonly group?: Address;
  /** A chat that is not there, or that we have no part in; left out where the platform does not tell. */
  readonly nowhere?: Address;
  /** What it cannot play, each with the reason. */
  readonly lacks?: Readonly<Partial<Record<Unplayable, string>>>;
  /** Another adapter for the same account, as the next process makes it; the first one is not used any more. */
  again?(): Adapter;
  /** Somebody writes. Settles when the platform was told that it arrived, or that it did not. */
  write(written: Written): Promise<{ readonly messageId: string }>;
  /** Whoever wrote it changes it. */
  amend?(messageId: string, text: string): Promise<unknown>;
  /** The platform delivers the last message again; left out where it never does. */
  redeliver?(): Promise<unknown>;
  /** Whether the platform believes that this message arrived. */
  isAcknowledged?(messageId: string): boolean | Promise<boolean>;
  /** What a chat shows of what was sent to it, oldest first; the chat of two unless told. */
  shown(address?: Address): readonly string[] | Promise<readonly string[]>;
  /** Which message one of ours is shown to answer; null where none. */
  answeredBy?(messageId: string): string | null | Promise<string | null>;
  /** The files that were sent there, oldest first. */
  files?(address?: Address): Promise<readonly ShownFile[]>;
  /**
   * Whom the platform notifies because of what our messages say; left out where only people who answer, or a field that
   * we never send, notify anybody.
   */
  notified?(): readonly string[] | Promise<readonly string[]>;
  /** What a chat shows of a text that is being written; null if nothing. The chat of two unless told. */
  drafted?(address?: Address): string | null | Promise<string | null>;
  /** What the platform's line says that the bot is doing there; empty if nothing. */
  status?(address: Address): string | Promise<string>;
  /** How often the chat was shown that somebody types. */
  typed?(): number | Promise<number>;
  /** The marks on a message of a person's. */
  marks?(messageId: string): readonly string[] | Promise<readonly string[]>;
  /** Somebody presses a button under a message of ours. Settles as `write` does. */
  press?(messageId: string, label: string, by?: Pick<Written, "in" | "from">): Promise<unknown>;
  /** What the buttons under a message of ours say, by now. */
  buttonsOn?(messageId: string): readonly string[] | Promise<readonly string[]>;
  /** Somebody puts an emoji on a message of ours. Settles as `write` does. */
  react?(messageId: string, emoji: string, by?: Pick<Written, "in" | "from">): Promise<unknown>;
  /** The usual person takes it off again, in the chat of two. */
  takeOff?(messageId: string, emoji: string): unknown;
  /** The names of the commands in the platform's menu. */
  menu?(): readonly string[] | Promise<readonly string[]>;
  /** How many threads a chat has. */
  threads?(parent: Address): number | Promise<number>;
  trouble?(what: Trouble): void | Promise<void>;
  /** What the way to the platform does from now on. */
  way?(fault: Fault): void | Promise<void>;
  /** What the first call of the next connection meets. */
  door?(fault: DoorFault): void | Promise<void>;
  /** The line is cut, and can be had again at once. */
  cut?(): void | Promise<void>;
  /** What the platform makes of a text, in one message or several; unchanged where it takes all of them as they are. */
  asShown?(text: string): string | readonly string[];
  /** What arrives of a text that somebody writes; unchanged where all of it does. */
  asWritten?(text: string): string;
  dispose?(): Promise<void>;
}
