/** A message as the inbox has it, and the account that it came through. */
import type { FileReference } from "../adapter/adapter.js";
import type { InboxId, SessionId } from "../session/ids.js";
import type { Platform } from "../session/platform.js";
import type { SessionKey } from "../session/session-key.js";
import type { SessionSource } from "../session/source.js";
import type { Attachment } from "../session/transcript.js";

/** Whose messages they are: an adapter's account. */
export interface Account {
  readonly platform: Platform;
  readonly account: string;
}

/**
 * By a command, of its own inbox id; by a handoff, of its id; about a process, of an id of this report; by a run of a
 * job, of its id; by a reaction, of whose it is, what and on which message; or moved along with its session, of its
 * inbox id before.
 */
export const MADE_BY = ["command", "handoff", "process", "job", "reaction", "moved"] as const;
export type MadeBy = (typeof MADE_BY)[number];

/** What came of a message's files. */
export interface Taken {
  readonly attachments: readonly Attachment[];
  /** What did not come and why, in words. */
  readonly missing: readonly string[];
}

/** Files that are not here yet: any process that has the account can fetch them. */
export interface AwaitedFiles extends Account {
  readonly files: readonly FileReference[];
  /** How many processes began to fetch them. */
  readonly tries: number;
}

export const INBOX_KINDS = ["message", "command"] as const;

/** A message that was edited or deleted, or has a reaction. */
export type Amended = Pick<NewInboxItem, "source" | "messageId">;

export interface NewInboxItem extends Account {
  readonly kind: (typeof INBOX_KINDS)[number];
  readonly key: SessionKey;
  readonly source: SessionSource;
  /** The platform's, or that of what `made` says. */
  readonly messageId: string;
  /** Set on what is no message of a platform. */
  readonly made?: MadeBy;
  /** What the person wrote, and what it answers. It names files only if it was in a transcript, or an older Baton saved it. */
  readonly text: string;
  readonly attachments?: Taken["attachments"];
  readonly missing?: Taken["missing"];
  /** Until its files are here. */
  readonly awaited?: AwaitedFiles;
  /** No person asked just now, as in scheduled work: its turn leaves the idle clock alone. */
  readonly inBackground?: true;
  /** Only this session is meant: if the lane has another one by now, it is not answered there. */
  readonly boundTo?: SessionId;
  /** Who it is from, where `source` is only where it is answered: asked again by another, or moved since. */
  readonly by?: SessionSource;
}

export interface InboxItem extends NewInboxItem {
  readonly id: InboxId;
  readonly receivedAt: number;
  /** Messages with the same one were sent together. Known only to the process that received them. */
  readonly album?: string;
}
