/**
 * What the page and the gateway say to each other about chats, as JSON. The page compiles against these types too, so
 * nothing here needs Node.js. A chat of the page is that of one person; its threads are their conversations there, and
 * `null` is the one without a thread, where notices and the results of jobs arrive.
 */
import type { Purpose, Received } from "../adapter.js";

/** Sent with every call but the first page: no other site's form, picture or script can set it. */
export const OUR_HEADER = "x-baton";
export const OUR_HEADER_VALUE = "page";

/** The paths of the calls about chats. */
export const PATHS = {
  /** GET: the event stream; `Last-Event-ID`, or `?after=`, is the last position that the browser has. */
  stream: "/api/stream",
  /** POST a `Said`: answers `{ received }`. */
  say: "/api/say",
  /** PUT the bytes of a file: answers an `Uploaded`. */
  upload: "/api/files",
  /** GET: a file of a post, `/api/posts/<position>/files/<number>`. */
  posts: "/api/posts",
} as const;

/** What a person writes or presses. The same `id` is accepted once. */
export interface Said {
  /** Made by the browser: 22 to 64 letters, digits, `-` and `_`. */
  readonly id: string;
  readonly thread: string | null;
  readonly text: string;
  readonly files?: readonly SaidFile[];
  /** It is the command of a button. */
  readonly press?: true;
}

export interface SaidFile {
  readonly ref: string;
  readonly name: string;
  readonly mediaType: string;
  readonly voice?: true;
}

export interface SaidAnswer {
  readonly received: Received;
  /** When it came, by the server's clock. */
  readonly at: number;
}

export interface Uploaded {
  readonly ref: string;
  readonly size: number;
}

/** How a call fails. Anything but 200 that is not this came from a proxy: what was to be sent waits and is sent again. */
export interface WireError {
  readonly error: { readonly code: string; readonly message: string };
}

/** A letter that is in the chat. */
export interface WirePost {
  /** Where its last change is in the chat: it grows with each post and each change. */
  readonly position: number;
  readonly id: string;
  readonly thread: string | null;
  readonly at: number;
  readonly purpose: Purpose;
  /** Markdown. */
  readonly text: string;
  readonly buttons: readonly { readonly label: string; readonly command: string }[];
  readonly files: readonly WireFile[];
  /** The session whose transcript says the same: the page shows it once. */
  readonly transcript: string | null;
  /** It was taken back. */
  readonly isGone: boolean;
}

interface WireFile {
  readonly name: string;
  readonly mediaType: string;
  readonly size: number;
  readonly url: string;
  readonly voice?: true;
}

/** A tool call while its turn runs. */
export interface WireCall {
  readonly id: string;
  readonly name: string;
  /** JSON text. */
  readonly arguments: string;
  readonly state: "planned" | "running" | "done";
  /** The end of what it printed so far. */
  readonly output: string;
  readonly result: string | null;
}

/** A turn as far as it got and is not in the transcript yet. */
export interface WireTurn {
  /** Unique to this turn in this process. */
  readonly id: string;
  readonly thread: string | null;
  readonly startedAt: number;
  readonly text: string;
  readonly reasoning: string;
  readonly calls: readonly WireCall[];
  /** The model's server lets Baton wait. */
  readonly retry: { readonly reason: string; readonly until: number; readonly attempt: number } | null;
  /** It waits for an answer to a question that a post shows. */
  readonly isAsking: boolean;
}

/** One event of the stream. Only `post` has an id, its position; everything else is about now, and is told again on connecting. */
export type WireEvent =
  /** The first event of each connection: whoever reads it asks again for what it shows. `position`: of the last post. */
  | { readonly kind: "hello"; readonly position: number; readonly started: string }
  | { readonly kind: "post"; readonly post: WirePost }
  /** A letter that nobody saves, such as a code. */
  | { readonly kind: "secret"; readonly thread: string | null; readonly text: string }
  /** The turn as it is: when it begins, on connecting, and when parts of it went into the transcript. */
  | { readonly kind: "turn"; readonly turn: WireTurn }
  | { readonly kind: "text" | "reasoning"; readonly turn: string; readonly delta: string }
  | { readonly kind: "call"; readonly turn: string; readonly call: WireCall }
  /** What a call prints; `skipped`: characters that were left out before it. */
  | {
      readonly kind: "output";
      readonly turn: string;
      readonly call: string;
      readonly text: string;
      readonly skipped: number;
    }
  /** The turn is over. */
  | {
      readonly kind: "end";
      readonly turn: string;
      readonly thread: string | null;
      readonly outcome: "done" | "stopped" | "failed" | "left";
      /** Why it failed, or null. */
      readonly error: string | null;
      readonly model: string | null;
      readonly tokens: number;
      readonly cost: number | null;
    }
  /** Something that this person may see has changed: ask for it again if it is shown. `id`: of the session, if it is one. */
  | { readonly kind: "changed"; readonly what: WireTopic; readonly id?: string }
  /** Nobody is signed in on this device any more. */
  | { readonly kind: "out" };

export type WireTopic = "session" | "waiting" | "processes" | "jobs" | "handoffs" | "work" | "all";
