/**
 * What the gateway keeps: the inbox of what was accepted, the turns that answer it, the outbox of what is to be
 * said, and the people who are let in. Each method is one atomic step. What is `running` or `sending` has a holder, the
 * process that works on it; the database calls it `owner`. A turn also has a lease and a fence that only grows. Every write
 * of a turn carries the fence, so a process that was replaced can write nothing more.
 */

import type { Purpose } from "../adapter/adapter.js";
import type { HomeChannel } from "../session/context.js";
import type { DeliveryId, HandoffId, InboxId, SessionId, TurnId } from "../session/ids.js";
import type { SessionEntry, Usage } from "../session/session.js";
import type { SessionKey } from "../session/session-key.js";
import type { Address } from "../session/source.js";
import type { HandoffEffects, HandoffStore, ResolveRequest } from "../session/store.js";
import type { Attachment, Message, ToolCall } from "../session/transcript.js";
import type { Subscriber } from "./facts.js";
import type { Account, InboxItem, NewInboxItem } from "./inbox-item.js";
import type { PeopleStore } from "./people-store.js";

export { PURPOSES } from "../adapter/adapter.js";
export type { Account, InboxItem, MadeBy, NewInboxItem } from "./inbox-item.js";
export { INBOX_KINDS, MADE_BY } from "./inbox-item.js";

/** Which message was changed by whoever wrote it. */
export type Amended = Pick<NewInboxItem, "source" | "messageId">;

/** An item and the process that has it. */
export interface HeldItem {
  readonly item: InboxItem;
  readonly holder: string;
}

export interface Inbox {
  /** Keeps what was received, once: null where it is there already. Its holder is to answer it. */
  accept(item: NewInboxItem, holder: string, now: number): Promise<InboxItem | null>;
  /** The same, unless persons were changed since its sender was looked up. */
  acceptFrom(
    peopleVersion: number,
    item: NewInboxItem,
    holder: string,
    now: number,
  ): Promise<InboxItem | "duplicate" | "outdated">;
  /**
   * Changes the text of a message that nobody has begun to answer; null where there is none of that sender. `text` is
   * asked what it becomes, perhaps more than once.
   */
  amend(account: Account, which: Amended, text: (was: InboxItem) => string): Promise<InboxItem | null>;
  /** Adds the files to a message that waits for this holder to answer it, also if it was moved; null if none does any more. */
  complete(
    id: InboxId,
    holder: string,
    attachments: readonly Attachment[],
    text: (was: string) => string,
  ): Promise<InboxItem | null>;
  /** What was accepted and nobody has begun to answer, oldest first. */
  waiting(account: Account): Promise<HeldItem[]>;
  /** The messages of a lane that nobody has begun to answer, in whichever process they wait. */
  waitingIn(key: SessionKey): Promise<InboxItem[]>;
  /** Leaves what waits to whoever comes next. */
  release(account: Account, holder: string): Promise<void>;
  /** Takes on what waits of another process, or of nobody: from then on only this one answers it. */
  adopt(account: Account, from: string, holder: string): Promise<void>;
  /** A command is about to act; false where it does not wait any more, or is another process's. */
  beginCommand(id: InboxId, holder: string): Promise<boolean>;
  /** It has acted; what it says goes to the outbox in the same step, once. */
  finishCommand(id: InboxId, said: readonly NewDelivery[], now: number): Promise<void>;
  /** A message that waits is not answered; what is said of that goes to the outbox in the same step, once. */
  skip(id: InboxId, holder: string, said: readonly NewDelivery[], now: number): Promise<void>;
  /** Commands that some process was carrying out: unknown whether they took effect. */
  interruptedCommands(account: Account): Promise<HeldItem[]>;
}

export interface Turn {
  readonly id: TurnId;
  readonly inboxId: InboxId;
  readonly sessionId: SessionId;
  readonly key: SessionKey;
  /** Where the reply goes, frozen when the turn began. */
  readonly address: Address;
  readonly fence: number;
  /** 1 for the first time. */
  readonly attempt: number;
  /** How many processes ended while this was the only turn that they were running. */
  readonly loneDeaths: number;
  /** False for a turn in the background, which leaves the idle clock alone. */
  readonly touches: boolean;
}

/** Who holds something, and until when by the clock of whoever asks. */
interface Lease {
  readonly holder: string;
  readonly until: number;
}

/** Who is to hold something, and for how long without a sign of life. The store's clock counts, not the host's. */
export interface Hold {
  readonly holder: string;
  readonly leaseMs: number;
}

/** Why somebody wants a turn to end: they said so, or said something else. */
export const STOP_WISHES = ["stopped", "interrupted"] as const;
export type StopWish = (typeof STOP_WISHES)[number];

/** A turn that is to end, by the lane and the message that it answers. */
export interface TurnToStop extends Pick<Turn, "key" | "inboxId"> {
  readonly wish: StopWish;
}

export type TurnEnd = "done" | "stopped" | "failed" | "parked";

export type BeginTurn =
  | { readonly kind: "begun"; readonly turn: Turn; readonly entry: SessionEntry }
  /** The session has a turn running, here or in another process. */
  | { readonly kind: "busy"; readonly running: RunningTurn }
  /** The session is being handed off, or one is coming to this lane. */
  | { readonly kind: "moving" }
  /** The item is not waiting any more. */
  | { readonly kind: "gone" }
  /** An older one of its lane waits, which nobody else has. */
  | { readonly kind: "behind" }
  | { readonly kind: "ask processes" };

/** What a turn adds: messages for the transcript, what is to be said, and messages of the inbox that went into it. */
export interface TurnStep {
  readonly messages: readonly Message[];
  readonly usage?: Usage;
  readonly deliveries: readonly NewDelivery[];
  readonly steeredIn: readonly InboxId[];
}

export interface RunningTurn {
  readonly turn: Turn;
  readonly item: InboxItem;
  readonly lease: Lease;
  /** It is to end, and its process has not ended it yet. */
  readonly wish: StopWish | null;
}

export interface Turns {
  /**
   * Resolves the session, appends the message and begins the turn; the address is that of the message, which has to be
   * this process's.
   */
  begin(
    id: TurnId,
    item: InboxItem,
    request: ResolveRequest,
    hold: Hold,
    /** What is to be said of it, given the session and the one that the key had before. */
    notices: (entry: SessionEntry, before: SessionEntry | null) => readonly NewDelivery[],
  ): Promise<BeginTurn>;
  /** False where the fence is stale: the turn is another's, or over. Nothing was written then. */
  step(turn: Turn, step: TurnStep, leaseMs: number, now: number): Promise<boolean>;
  finish(turn: Turn, end: TurnEnd, step: TurnStep, error: string | null, now: number): Promise<boolean>;
  /** Where it is held, also whether it is to end. */
  renew(turn: Turn, leaseMs: number, now: number): Promise<"held" | "lost" | StopWish>;
  /** Asks the process that runs the turn to end it, and wakes it; false where the turn is another's by now, or over. */
  askToStop(turn: Turn, wish: StopWish): Promise<boolean>;
  /** Turns of this process that are to end. */
  toStop(holder: string): Promise<TurnToStop[]>;
  /** Turns of this account that are running, whoever runs them. */
  running(account: Account, now: number): Promise<RunningTurn[]>;
  /** The turn of a session that is running, whoever runs it. */
  runningIn(sessionId: SessionId, now: number): Promise<RunningTurn | null>;
  /** What a turn answers. */
  item(turnId: TurnId): Promise<InboxItem | null>;
  /** Lets go of a turn for the next process, which goes on with it at once. */
  release(turn: Turn): Promise<void>;
  /** Takes over a turn whose holder is gone; null where somebody else was quicker. */
  takeOver(turn: Turn, hold: Hold, now: number): Promise<Turn | null>;
}

export const CALL_STATES = ["planned", "started", "finished"] as const;

/** A tool call whose step is not in the transcript yet. */
export interface JournaledCall {
  readonly call: ToolCall;
  /** What the agent had said in this step, with its first call. */
  readonly said: string;
  /** `started` is all that is known of a call whose process ended: it may or may not have taken effect. */
  readonly state: (typeof CALL_STATES)[number];
  readonly result: string | null;
  /** The process that leads all that the call has started, by its name; null where it has none. */
  readonly process: string | null;
}

/**
 * What the agent was about to do, did, and has done: kept before it happens, so that no process does it again. A step
 * that is kept takes its calls out of the journal. Each write is false where the turn's fence is stale.
 */
export interface ToolJournal {
  planned(turn: Turn, call: ToolCall, said: string): Promise<boolean>;
  started(turn: Turn, call: ToolCall): Promise<boolean>;
  /** What was started has a process of its own. */
  leads(turn: Turn, call: ToolCall, process: string): Promise<boolean>;
  finished(turn: Turn, call: ToolCall, result: string): Promise<boolean>;
  /** What the turn's last step had come to, in the order of the calls. */
  open(turn: Turn): Promise<JournaledCall[]>;
}

/** A text or a file: what is said with files is one for the text and one for each file, in one transaction. */
export interface NewDelivery {
  readonly deliveryId: DeliveryId;
  /** Through which account it goes. */
  readonly account: string;
  /** The process that is to send it, as long as it is there. */
  readonly holder: string;
  readonly address: Address;
  readonly purpose: Purpose;
  /** The handoff that it is said of. */
  readonly handoffId?: HandoffId | null;
  readonly text: string;
  readonly sessionId: SessionId | null;
  /** The turn that says it. */
  readonly turnId?: TurnId;
  /** The message of the platform that it answers. */
  readonly replyTo?: string | null;
  /** Of the media store; then there is no text. */
  readonly file?: Attachment;
  /** It was seen while it was made, and need not be sent. */
  readonly shown: boolean;
}

/** `dropped`: somebody stopped the turn before it was sent. */
export const DELIVERY_STATES = ["pending", "sending", "sent", "failed", "unknown", "dropped"] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

export interface Delivery extends Omit<NewDelivery, "shown" | "turnId"> {
  readonly id: number;
  readonly state: DeliveryState;
  readonly attempts: number;
  readonly notBefore: number;
}

export interface Doubtful {
  readonly count: number;
  readonly last: number;
}

/** A delivery that a process is sending. What became of it is written only while it is still that process's. */
export type Sending = Pick<Delivery, "id" | "holder" | "handoffId">;

/** What became of what the destination of a handoff was told. */
export type Announcement = Readonly<{ state: DeliveryState; error: string | null }>;

export interface Outbox {
  add(deliveries: readonly NewDelivery[], now: number): Promise<void>;
  /** The same, and that session has said it: so it can be answered there. False where it was added before. */
  say(sessionId: SessionId, text: string, deliveries: readonly NewDelivery[], now: number): Promise<boolean>;
  /**
   * What is to be sent through an account by then, oldest first: of each address its first few, before more of any. An
   * address that has to wait is passed over as a whole. A wait that has not even begun by then is none: the clock was
   * set back, and nobody waits longer than was asked for.
   */
  pending(account: Account, limit: number, due?: number): Promise<Delivery[]>;
  /** When the next one is due of those that wait; null where none does. */
  nextDue(account: Account, now: number): Promise<number | null>;
  /** Leaves what is pending to whoever comes next. */
  release(account: Account, holder: string): Promise<void>;
  /** About to be sent; false where it is not pending any more, or its account is another process's. */
  sending(id: number, holder: string): Promise<boolean>;
  sent(which: Sending, messageId: string, now: number): Promise<void>;
  /** Not sent: tried again after that wait, which begins now. */
  retry(which: Sending, waitMs: number, error: string, now: number): Promise<void>;
  /** Not sent and not to be. */
  fail(which: Sending, error: string): Promise<void>;
  /** Nobody knows whether it was sent. The doubt is to be said, unless one waits to be said there already. */
  doubt(which: Sending, error: string, doubt: NewDelivery | null, now: number): Promise<void>;
  /** What some process was sending when it ended. */
  interrupted(account: Account): Promise<Delivery[]>;
  /** The last turn of a session of whose replies some wait to be sent. */
  unsentTurn(account: Account, sessionId: SessionId): Promise<TurnId | null>;
  /** Takes back what waits of a turn's replies: their delivery ids. */
  drop(account: Account, turnId: TurnId): Promise<readonly DeliveryId[]>;
  /** Nothing waits to be sent there, or is being sent. */
  isClear(account: Account, address: Address): Promise<boolean>;
  /** Each of these has surely been sent. */
  areSent(deliveryIds: readonly DeliveryId[]): Promise<boolean>;
  /** What the destination of a handoff was told, the first part of it; null if nothing was announced. */
  announcement(handoffId: HandoffId): Promise<Announcement | null>;
  /** How many messages there since then are in doubt, and when the last of them was made. */
  doubtful(account: Account, address: Address, since: number): Promise<Doubtful>;
}

/** Who has an account, and since when. */
export interface AccountLease extends Lease {
  readonly since: number;
}

/** Accounts of platforms. One process has an account at a time, by a lease. */
export interface Accounts {
  lease(account: Account, now: number): Promise<AccountLease | null>;
  /** Every account that some process has, or had when it ended. */
  held(now: number): Promise<readonly (Account & AccountLease)[]>;
  /** Takes the account if it is free, its lease has run out, or its holder is this one, which has ended. */
  take(account: Account, hold: Hold, ended: string | null, now: number): Promise<boolean>;
  /** False where it is another's by now. */
  renew(account: Account, hold: Hold, now: number): Promise<boolean>;
  release(account: Account, holder: string): Promise<void>;
  /** What an account remembers. */
  read(account: Account, name: string): Promise<string | null>;
  write(account: Account, name: string, value: string): Promise<void>;
  /** What every account remembers under a name. */
  all(name: string): Promise<readonly (Account & { readonly value: string })[]>;
  homes(): Promise<HomeChannel[]>;
  setHome(home: HomeChannel): Promise<void>;
}

/** What a step of a handoff commits beside the handoff itself. */
export interface GatewayEffects extends HandoffEffects {
  /** An announcement goes into the outbox once. */
  readonly deliveries?: readonly NewDelivery[];
  /** The first message in the new lane, before those that come along. */
  readonly first?: NewInboxItem;
  /** If the handoff fails: what the destination hears if it was told before. What was not sent yet is taken back. */
  readonly retraction?: readonly string[];
}

/** Files that came with messages, by their names in the media folder. Another store may have files there too. */
export interface MediaFiles {
  /** About to be kept: from then on they are this store's. */
  taking(files: readonly string[], now: number): Promise<void>;
  /** Those of this store that were taken before then and that nothing in it refers to. */
  unneeded(takenBefore: number): Promise<string[]>;
  /** They are not there any more. */
  gone(files: readonly string[]): Promise<void>;
}

export type Spent = "modelCalls" | "mediaBytes";

export interface DaySpending extends Readonly<Record<Spent, number>> {
  readonly identity: string;
}

/** What people have spent of a day's limits. Those identities are one person's, and count together. */
export interface Spending {
  /** Adds as much as the limit leaves, at most that much; how much it was. */
  grant(
    identities: readonly string[],
    what: Spent,
    most: number,
    limit: number,
    day: string,
  ): Promise<number>;
  /** Takes back what was granted and not spent. */
  giveBack(identities: readonly string[], what: Spent, amount: number, day: string): Promise<void>;
  /** What everybody spent on a day. */
  of(day: string): Promise<readonly DaySpending[]>;
}

/** What an owner allowed for good: calls of exactly one kind, by one person, in one lane. */
export interface StandingApproval {
  readonly id: number;
  readonly key: SessionKey;
  /** Whose calls. */
  readonly identity: string;
  /** Of the tool and exactly what it would do. */
  readonly digest: string;
  /** The same in short, for people. */
  readonly shown: string;
}

export interface StandingApprovals {
  add(approval: Omit<StandingApproval, "id">, now: number): Promise<void>;
  /** Those identities are one person's. */
  has(key: SessionKey, identities: readonly string[], digest: string): Promise<boolean>;
  /** Oldest first. */
  in(key: SessionKey): Promise<StandingApproval[]>;
  /** False where there is none of that number in that lane. */
  remove(key: SessionKey, id: number): Promise<boolean>;
}

export interface GatewayStore {
  readonly inbox: Inbox;
  readonly turns: Turns;
  readonly journal: ToolJournal;
  readonly outbox: Outbox;
  readonly people: PeopleStore;
  readonly accounts: Accounts;
  readonly handoffs: HandoffStore<GatewayEffects>;
  /** Tells of what this process commits, and soon of what others do. Returns how to end it. */
  subscribe(subscriber: Subscriber): () => void;
  readonly files: MediaFiles;
  readonly spending: Spending;
  readonly standing: StandingApprovals;
}
