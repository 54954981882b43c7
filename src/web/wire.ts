/**
 * What the page asks for beside the chat itself, as JSON. The page compiles against these types too, so nothing here needs
 * Node.js. Every answer has only what the person who is signed in may see; `owner/` is for owners. All of it is read by
 * GET. What a person does goes as a command through the chat, with its rights, except what the last calls here say.
 */
import type { WirePost, WireTurn } from "../adapter/web/wire.js";

/** A page of a list; pass `nextCursor` on as `?cursor=`. */
export interface WirePage<Item> {
  readonly items: readonly Item[];
  readonly nextCursor: string | null;
}

/** POST /api/enter `{ key }`, from a link's fragment. GET /api/me; POST /api/leave signs this device out. */
export interface WireMe {
  /** What Baton calls them. */
  readonly name: string;
  readonly identity: string;
  readonly role: "owner" | "member" | "guest";
  readonly device: string;
  readonly version: string;
  /** For completing a line that begins with a slash. */
  readonly commands: readonly {
    readonly name: string;
    readonly usage: string;
    readonly description: string;
  }[];
  readonly platforms: Readonly<Record<string, string>>;
}

export interface WireSession {
  readonly id: string;
  readonly title: string | null;
  /** The title, or what stands for it. */
  readonly name: string;
  readonly platform: string;
  /** Where it is, in words. */
  readonly place: string;
  /** Set if it is in this person's chat in the page: `null` is the one without a thread, `undefined` is elsewhere. */
  readonly thread?: string | null;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly endedAt: number | null;
  readonly endReason: string | null;
  readonly messageCount: number;
  readonly cost: number;
  /** A turn runs in it. */
  readonly isWorking: boolean;
}

/** GET /api/conversations?platform=&cursor=&limit=&open=1|0 → WirePage<WireSession>. `0`: only those that have ended. */
/** GET /api/search?q=&platform=&role=&after=&before=&cursor= → WirePage<WireHit> */
export interface WireHit {
  readonly sessionId: string;
  readonly name: string;
  readonly platform: string;
  readonly seq: number;
  readonly role: string;
  readonly at: number;
  readonly snippet: string;
}

export interface WireAttachment {
  readonly name: string;
  readonly mediaType: string;
  readonly size: number | null;
  /** Null if the file is not there any more. */
  readonly url: string | null;
  readonly voice?: true;
}

export interface WireMessage {
  readonly seq: number;
  readonly at: number;
  readonly role: "user" | "assistant" | "tool" | "system";
  readonly content: string;
  /** Who wrote it, if it is not the reader. */
  readonly name?: string;
  readonly isMine?: true;
  /** Words of Baton, at somebody's request. */
  readonly note?: true;
  readonly reasoning?: string;
  readonly toolCalls?: readonly { readonly id: string; readonly name: string; readonly arguments: string }[];
  readonly toolCallId?: string;
  readonly attachments?: readonly WireAttachment[];
}

/** GET /api/conversations/:id → this; the last messages. */
export interface WireTranscript {
  readonly session: WireSession;
  readonly messages: readonly WireMessage[];
  /** True if there are older ones: GET /api/conversations/:id/messages?before=<seq> → { messages, hasMore }. */
  readonly hasMore: boolean;
  /** When it starts fresh, and why not yet. */
  readonly policy: string;
}

/** GET /api/conversations/:id/messages?after=<seq> (or before) → this. `count` tells if some were taken back. */
export interface WireMessages {
  readonly messages: readonly WireMessage[];
  readonly hasMore: boolean;
  readonly count: number;
}

/** GET /api/chat?thread=<id> → a conversation in the page, as it is now. */
export interface WireChat {
  /** Null until something is said there. */
  readonly session: WireSession | null;
  readonly messages: readonly WireMessage[];
  readonly hasMore: boolean;
  /** Letters since the oldest of the messages, or the last ones. */
  readonly posts: readonly WirePost[];
  /** Accepted, and not begun. */
  readonly waiting: readonly { readonly id: string; readonly text: string; readonly at: number }[];
  readonly turn: WireTurn | null;
  readonly policy: string | null;
}

/** GET /api/places → { items } */
export interface WirePlace {
  readonly word: string;
  readonly name: string;
  readonly platform: string;
}

/** GET /api/handoffs?session=<id> → this: the last move of a conversation. */
export interface WireLastHandoff {
  readonly last: {
    readonly id: string;
    readonly state: string;
    readonly at: number;
    readonly why: string | null;
  } | null;
}

/** GET /api/jobs → { items }; GET /api/jobs/:id/runs → WirePage<WireRun>. Commands: /cron pause|resume|run|remove <name>. */
export interface WireJob {
  readonly id: string;
  readonly name: string;
  readonly what: string;
  readonly schedule: string;
  readonly target: string;
  readonly nextAt: number | null;
  readonly isPaused: boolean;
  /** Why Baton paused it by itself; null if a person did, or it is not paused. */
  readonly pausedWhy: string | null;
  readonly lastRun: WireRun | null;
}

export interface WireRun {
  readonly id: string;
  readonly at: number;
  readonly endedAt: number | null;
  readonly state: string;
  readonly text: string | null;
  readonly error: string | null;
}

/** GET /api/processes → { items }. Command: /processes kill <name>. */
export interface WireProcess {
  readonly id: string;
  readonly name: string;
  readonly command: string;
  readonly state: string;
  readonly startedAt: number;
  readonly endedAt: number | null;
  readonly exitCode: number | null;
  readonly sessionId: string | null;
  readonly hasScreen: boolean;
}

/** GET /api/processes/:id/output?after=<byte> → this; ask again to follow it. */
export interface WireOutput {
  readonly text: string;
  readonly next: number;
  readonly isOver: boolean;
}

/** GET /api/processes/:id/screen → the lines of its terminal. */
export interface WireScreen {
  readonly lines: readonly string[];
  readonly columns: number;
  readonly rows: number;
}

/** GET /api/memory → { items }. Command: /memory forget <number>. */
export interface WireNote {
  readonly id: string;
  readonly text: string;
  readonly at: number;
}

/** GET /api/usage?days=30&by=day|person|model|platform (person: owners, who see everybody's). */
export interface WireUsage {
  readonly by: "day" | "person" | "model" | "platform";
  readonly rows: readonly {
    readonly name: string;
    readonly tokens: number;
    /** In US dollars. */
    readonly cost: number;
    readonly calls: number;
    /** Calls of models whose price is not known: the cost leaves them out. */
    readonly unpricedCalls: number;
  }[];
  /** Days as `2026-11-19`, from the oldest, each with its sums, whatever the rows are by. */
  readonly days: readonly {
    readonly day: string;
    readonly tokens: number;
    readonly cost: number;
    readonly unpricedCalls: number;
  }[];
  readonly limits: string | null;
}

/** GET /api/devices → { items }. POST /api/devices/revoke { id } → { done: true }; 404 if it is not theirs. */
export interface WireDevice {
  readonly id: string;
  readonly identity: string;
  readonly name: string;
  readonly createdAt: number;
  readonly seenAt: number;
  readonly isThis: boolean;
}

/** GET /api/work → { items }: imports, backups and other long work, in any process. Owners see all of it. */
export interface WireWork {
  readonly id: string;
  readonly what: string;
  readonly done: number;
  /** Null if it is not known. */
  readonly total: number | null;
  readonly unit: string;
  readonly startedAt: number;
  readonly endedAt: number | null;
  /** What came of it, in words; null while it goes on. */
  readonly outcome: string | null;
}

/** GET /api/owner/platforms → { items } */
export interface WirePlatform {
  readonly platform: string;
  readonly title: string;
  readonly state: string;
  readonly since: number | null;
  readonly by: string;
  readonly error: string | null;
}

/**
 * GET /api/owner/people → this. Commands: /pair approve <code>, /pair deny <code>. POST /api/owner/people/deny { identity } →
 * { done: boolean }: false if they do not ask for access any more.
 */
export interface WirePeople {
  readonly people: readonly {
    readonly id: string;
    readonly name: string | null;
    readonly role: string;
    readonly identities: readonly string[];
    readonly isListed: boolean;
  }[];
  readonly requests: readonly {
    readonly identity: string;
    readonly called: string | null;
    readonly askedAt: number;
    readonly expiresAt: number;
    readonly isDenied: boolean;
  }[];
}

/** What may be of a conversation that this owner may not read. */
interface WireOthers {
  /** True if so: its `text` is empty, and its `name` says only where it is. */
  readonly isOthers: boolean;
}

/** GET /api/owner/turns → { items } */
export interface WireRunningTurn extends WireOthers {
  readonly sessionId: string;
  readonly name: string;
  readonly platform: string;
  readonly startedAt: number;
  readonly holder: string;
  readonly isStopping: boolean;
}

/** GET /api/owner/inbox?cursor= → WirePage<WireWaiting> */
export interface WireWaiting extends WireOthers {
  readonly id: string;
  readonly kind: string;
  readonly place: string;
  readonly at: number;
  /** The beginning of it. */
  readonly text: string;
  readonly state: string;
}

/**
 * GET /api/owner/outbox?state=waiting|failed|unknown&cursor= → WirePage<WireDelivery>. POST /api/owner/outbox
 * { id, decision: "send" | "drop" } → { done: boolean }: false if it is in another state by now.
 */
export interface WireDelivery extends WireOthers {
  readonly id: string;
  readonly state: string;
  readonly to: string;
  readonly purpose: string;
  readonly text: string;
  readonly at: number;
  readonly attempts: number;
  readonly error: string | null;
}

/** GET /api/owner/logs?after=<cursor>&level= → this: without `after`, the last lines. */
export interface WireLogs {
  readonly lines: readonly {
    readonly at: number;
    readonly level: string;
    readonly by: string;
    readonly text: string;
    /** What went wrong below it, or null. */
    readonly cause: string | null;
  }[];
  readonly next: string;
}

/** GET /api/owner/settings → { items } */
export interface WireSetting {
  readonly key: string;
  /** `(set)` for a secret. */
  readonly value: string;
  readonly origin: string;
  readonly description: string;
}

/** GET /api/owner/health → this. */
export interface WireHealth {
  readonly version: string;
  readonly node: string;
  readonly startedAt: number;
  readonly rssBytes: number;
  readonly storeBytes: number | null;
  readonly streams: number;
  /** Over the last minute, in ms. */
  readonly loopDelay: { readonly mean: number; readonly p99: number; readonly max: number };
  /** How old the oldest is that waits, in ms; null if nothing does. */
  readonly oldestInboxMs: number | null;
  readonly oldestOutboxMs: number | null;
  readonly findings: readonly { readonly level: string; readonly title: string; readonly text: string }[];
}
