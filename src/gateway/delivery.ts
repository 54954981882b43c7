/** What goes out: one letter for one address as the outbox has it, and the port to the outbox. Each of its methods is one atomic step. */
import type { LetterButton, Purpose } from "../adapter/adapter.js";
import type { DeliveryId, HandoffId, RunId, SessionId, TurnId } from "../session/ids.js";
import type { Address } from "../session/source.js";
import type { Attachment } from "../session/transcript.js";
import type { Account, Amended, InboxItem } from "./inbox-item.js";

/** A text, or files with or without one: as much as the platform takes at once. What belongs together is added in one transaction. */
export interface NewDelivery {
  readonly deliveryId: DeliveryId;
  /** The account that sends it. */
  readonly account: string;
  /** The process that must send it, while it runs. */
  readonly holder: string;
  readonly address: Address;
  readonly purpose: Purpose;
  /** The handoff that it is about. */
  readonly handoffId?: HandoffId | null;
  /** The run of a job whose result it is. */
  readonly runId?: RunId | null;
  readonly text: string;
  readonly sessionId: SessionId | null;
  /** The turn that it comes from. */
  readonly turnId?: TurnId;
  /** The platform's id of the message that it answers. */
  readonly replyTo?: string | null;
  /** Files of the media store. */
  readonly files?: readonly Attachment[];
  /** Under the text; a press sends the command of the button. */
  readonly buttons?: readonly LetterButton[];
  /** True if it was shown live and need not be sent. */
  readonly shown: boolean;
}

/** `dropped`: somebody stopped the turn before this was sent. */
export const DELIVERY_STATES = ["pending", "sending", "sent", "failed", "unknown", "dropped"] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

export interface Delivery extends Omit<NewDelivery, "shown" | "turnId"> {
  readonly id: number;
  readonly turnId: TurnId | null;
  readonly state: DeliveryState;
  /** When it was written into the outbox. */
  readonly createdAt: number;
  readonly attempts: number;
  readonly notBefore: number;
}

/** Messages of which nobody knows whether they arrived. */
export interface Doubtful {
  readonly count: number;
  readonly last: number;
}

/** Messages that could not be sent and will not be. */
export interface Undelivered {
  readonly count: number;
  /** `to`: its address as text: the platform may no longer be known. */
  readonly last: { readonly to: string; readonly error: string; readonly at: number } | null;
}

/** All, or all but the results of jobs. */
export type PendingKind = "all" | "no job results";

/** A delivery that a process is sending. Only that process can write its outcome. */
export type Sending = Pick<Delivery, "id" | "holder" | "handoffId" | "runId">;

/** The state of the message that announces a handoff at its destination. */
export type Announcement = Readonly<{ state: DeliveryState; error: string | null }>;

export interface Outbox {
  add(deliveries: readonly NewDelivery[], now: number): Promise<void>;
  /** The same, and adds a text to that session's transcript, so people can answer it there. False if it was added before. */
  say(
    sessionId: SessionId,
    text: string | null,
    deliveries: readonly NewDelivery[],
    now: number,
  ): Promise<boolean>;
  /**
   * What must be sent through an account by then, oldest first. Each address gets its first few, before any gets more. An
   * address that must wait is skipped completely. A wait that would begin only after then does not count: the clock was
   * set back, and nobody should wait longer than was asked for.
   */
  pending(account: Account, limit: number, due?: number, which?: PendingKind): Promise<Delivery[]>;
  /** When the next waiting one is due; null if none waits. */
  nextDue(account: Account, now: number): Promise<number | null>;
  /** Leaves the pending deliveries to the next process. */
  release(account: Account, holder: string): Promise<void>;
  /** It is about to be sent; false if it is no longer pending, or another process has the account. */
  sending(id: number, holder: string): Promise<boolean>;
  sent(which: Sending, messageId: string, now: number): Promise<void>;
  /** It was not sent, and is tried again after this wait, which begins now. */
  retry(which: Sending, waitMs: number, error: string, now: number): Promise<void>;
  /** It was not sent and never will be. `isMissed`: the chat must hear of that. */
  fail(which: Sending, error: string, isMissed: boolean, now: number): Promise<void>;
  /** If the chat must hear that messages failed, `notice` says so there, once; it gets their number and the last reason. */
  tellFailed(
    account: Account,
    address: Address,
    notice: (count: number, error: string) => NewDelivery,
    now: number,
  ): Promise<void>;
  /** What failed since then, at one address of an account or anywhere. */
  undelivered(since: number, where: (Account & { readonly address: Address }) | null): Promise<Undelivered>;
  /** Nobody knows whether it was sent. `doubt` says so in the chat, unless such a sentence already waits there. */
  doubt(which: Sending, error: string, doubt: NewDelivery | null, now: number): Promise<void>;
  /** What a process was sending when it ended. */
  interrupted(account: Account): Promise<Delivery[]>;
  /** The last turn of a session that has unsent replies. */
  unsentTurn(account: Account, sessionId: SessionId): Promise<TurnId | null>;
  /** Drops the unsent replies of a turn; returns their delivery ids. */
  drop(account: Account, turnId: TurnId): Promise<readonly DeliveryId[]>;
  /** True if nothing waits to be sent there or is being sent. */
  isClear(account: Account, address: Address): Promise<boolean>;
  /** When the last of these was sent; null if one of them has not certainly been. */
  sentAt(deliveryIds: readonly DeliveryId[]): Promise<number | null>;
  /** The platform's id of a message that was sent; null if it was not, or if the platform has given none. */
  messageIdOf(deliveryId: DeliveryId): Promise<string | null>;
  /** The first part of the message that announces a handoff at its destination; null if there is none. */
  announcement(handoffId: HandoffId, address: Address): Promise<Announcement | null>;
  /** The lane and place of the turn that sent this message as its answer, if no later turn of its session has begun. */
  answerAs(account: Account, which: Amended): Promise<Pick<InboxItem, "key" | "source"> | null>;
  /** How many messages there since then are in doubt, and when the last of them was written. */
  doubtful(account: Account, address: Address, since: number): Promise<Doubtful>;
}
