/**
 * What the gateway keeps: the inbox of what was accepted, the turns that answer it, the outbox of what is to be
 * said, and the people who are let in. Each method is one atomic step. What is `running` or `sending` has a holder, the
 * process that works on it; the database calls it `owner`. A turn also has a lease and a fence that only grows. Every write
 * of a turn carries the fence, so a process that was replaced can write nothing more.
 */

import type { ProcessStore } from "../process/store.js";
import type { JobStore } from "../schedule/store.js";
import type { HomeChannel } from "../session/context.js";
import type { InboxId, SessionId, TurnId } from "../session/ids.js";
import type { LaneStore } from "../session/lane-store.js";
import type { ModelUse, SessionEntry } from "../session/session.js";
import type { SessionKey } from "../session/session-key.js";
import type { Address } from "../session/source.js";
import type { HandoffEffects, HandoffStore, ResolveRequest } from "../session/store.js";
import type { Attachment, Message, ToolCall } from "../session/transcript.js";
import type { NewDelivery, Outbox } from "./delivery.js";
import type { ErasureStore } from "./erasure.js";
import type { Subscriber } from "./facts.js";
import type { Account, Amended, AwaitedFiles, InboxItem, NewInboxItem, Taken } from "./inbox-item.js";
import type { JobRuns } from "./job-runs.js";
import type { MemoryStores } from "./memory/memory-stores.js";
import type { PeopleStore } from "./people-store.js";
import type { ProcessReports } from "./process-reports.js";
import type { Spend, UsageStore } from "./usage-store.js";
import type { WatchedStores } from "./watched-stores.js";

export { PURPOSES } from "../adapter/adapter.js";
export type * from "./delivery.js";
export { DELIVERY_STATES } from "./delivery.js";
export type { Account, Amended, AwaitedFiles, InboxItem, MadeBy, NewInboxItem, Taken } from "./inbox-item.js";
export { INBOX_KINDS, MADE_BY } from "./inbox-item.js";
export type { JobAfter, JobRun, JobRuns, RunEffects, UntoldResults } from "./job-runs.js";
export type {
  PlacedProcess,
  ProcessReports,
  ReportEffects,
  ReportPlace,
  ReportStep,
} from "./process-reports.js";
export type * from "./usage-store.js";
export type * from "./watched-stores.js";

/** An item, and the process that must answer it. */
export interface HeldItem {
  readonly item: InboxItem;
  readonly holder: string;
}

export interface Inbox {
  /** Keeps what was received, once: null where it is there already. Its holder is to answer it. */
  accept(item: NewInboxItem, holder: string, now: number): Promise<InboxItem | null>;
  /** The same, unless people were changed since the sender was looked up. */
  acceptFrom(
    peopleVersion: number,
    item: NewInboxItem,
    holder: string,
    now: number,
  ): Promise<InboxItem | "duplicate" | "outdated">;
  /** Changes the text of a message that nobody has begun to answer; null if there is none of that sender. Its files stay. */
  amend(account: Account, which: Amended, change: (was: string) => string): Promise<InboxItem | null>;
  /** A message that nobody has begun to answer was deleted: it is not answered, and its words go. Null if none waits. */
  withdraw(account: Account, which: Amended): Promise<InboxItem | null>;
  /**
   * Says what came of the files of a message that waits for this holder, also if it was moved; null if none does any more.
   * Without `files` they stay as they are, and nobody awaits any.
   */
  complete(id: InboxId, holder: string, files: Taken | null): Promise<InboxItem | null>;
  /** This process begins to fetch what a message awaits, and that counts; null if it does not wait for this holder. */
  fetching(id: InboxId, holder: string): Promise<AwaitedFiles | null>;
  /** Accepted messages that nobody has begun to answer, oldest first. */
  waiting(account: Account): Promise<HeldItem[]>;
  /** The messages of a lane that nobody has begun to answer, in any process. */
  waitingIn(key: SessionKey): Promise<InboxItem[]>;
  /** Leaves the waiting messages to the next process. */
  release(account: Account, holder: string): Promise<void>;
  /** Takes on what waits for another process, or for none, unless another one has the account. Then only this one answers it. */
  adopt(account: Account, from: string, holder: string): Promise<void>;
  /** A command is about to act; false if it no longer waits, or belongs to another process. */
  beginCommand(id: InboxId, holder: string): Promise<boolean>;
  /** A command has acted; its reply goes to the outbox in the same step, once. */
  finishCommand(id: InboxId, said: readonly NewDelivery[], now: number): Promise<void>;
  /** A waiting message gets no answer; the note about it goes to the outbox in the same step, once. False if it waits no more. */
  skip(id: InboxId, holder: string, said: readonly NewDelivery[], now: number): Promise<boolean>;
  /** Commands that a process was running: nobody knows whether they took effect. */
  interruptedCommands(account: Account): Promise<HeldItem[]>;
}

export interface Turn {
  readonly id: TurnId;
  readonly inboxId: InboxId;
  readonly sessionId: SessionId;
  readonly key: SessionKey;
  /** Where the reply goes. It is fixed when the turn begins. */
  readonly address: Address;
  readonly fence: number;
  /** 1 for the first attempt. */
  readonly attempt: number;
  /** How many processes ended while this was their only turn. */
  readonly loneDeaths: number;
  /** False for a turn in the background, which does not refresh the idle clock. */
  readonly touches: boolean;
  /** The `seq` of the message that it answers; null if an older Baton began it. */
  readonly messageSeq: number | null;
}

/** The process that holds something, and until when, by the caller's clock. */
interface Lease {
  readonly holder: string;
  readonly until: number;
}

/** The process that takes something, and how long it holds it without a renewal. The store's clock counts. */
export interface Hold {
  readonly holder: string;
  readonly leaseMs: number;
}

/** Why somebody wants a turn to end: they stopped it, or wrote something else. */
export const STOP_WISHES = ["stopped", "interrupted"] as const;
export type StopWish = (typeof STOP_WISHES)[number];

/** A turn that should end, by the lane and the message that it answers. */
export interface TurnToStop extends Pick<Turn, "key" | "inboxId"> {
  readonly wish: StopWish;
}

export type TurnEnd = "done" | "stopped" | "failed" | "parked";

export type BeginTurn =
  | { readonly kind: "begun"; readonly turn: Turn; readonly entry: SessionEntry }
  /** A turn of this session runs, here or in another process. */
  | { readonly kind: "busy"; readonly running: RunningTurn }
  /** The session is being handed off, or another one is about to come to this lane. */
  | { readonly kind: "moving" }
  /** A script has the session of this lane, and gives it back. */
  | { readonly kind: "lent" }
  /** The message no longer waits. */
  | { readonly kind: "gone" }
  /** It is bound to a session that is no longer in this lane. */
  | { readonly kind: "left" }
  /** An older message of its lane waits, and no process has it. */
  | { readonly kind: "behind" }
  | { readonly kind: "ask processes" };

/** What a step of a turn adds: messages to the transcript, deliveries, and inbox messages that the turn has read. */
export interface TurnStep {
  readonly messages: readonly Message[];
  /** The calls of models since the step before. */
  readonly uses?: readonly ModelUse[];
  readonly deliveries: readonly NewDelivery[];
  readonly steeredIn: readonly InboxId[];
}

export interface RunningTurn {
  readonly turn: Turn;
  readonly item: InboxItem;
  readonly lease: Lease;
  /** Set if it should end, and its process has not ended it yet. */
  readonly wish: StopWish | null;
}

export interface Turns {
  /**
   * Resolves the session, appends the message and begins the turn. The reply goes to where the message came from; this
   * process must hold the message.
   */
  begin(
    id: TurnId,
    item: InboxItem,
    request: ResolveRequest,
    hold: Hold,
    /** The notices about it, given the session and the one that the key had before. */
    notices: (entry: SessionEntry, before: SessionEntry | null) => readonly NewDelivery[],
  ): Promise<BeginTurn>;
  /** False if the fence is stale: another process has the turn, or it is over. Then nothing was written. */
  step(turn: Turn, step: TurnStep, leaseMs: number, now: number): Promise<boolean>;
  finish(turn: Turn, end: TurnEnd, step: TurnStep, error: string | null, now: number): Promise<boolean>;
  /** If it is held: also whether it should end. */
  renew(turn: Turn, leaseMs: number, now: number): Promise<"held" | "lost" | StopWish>;
  /** Asks the process that runs the turn to end it; false if another process has it by now, or it is over. */
  askToStop(turn: Turn, wish: StopWish): Promise<boolean>;
  /** Turns of this process that should end. */
  toStop(holder: string): Promise<TurnToStop[]>;
  /** The running turns of this account, in any process. */
  running(account: Account, now: number): Promise<RunningTurn[]>;
  /** The running turn of a session, in any process. */
  runningIn(sessionId: SessionId, now: number): Promise<RunningTurn | null>;
  /** The message that a turn answers. */
  item(turnId: TurnId): Promise<InboxItem | null>;
  /** Releases a turn, so that the next process continues it at once. */
  release(turn: Turn): Promise<void>;
  /** Takes over a turn whose holder is gone; null if another process was faster. */
  takeOver(turn: Turn, hold: Hold, now: number): Promise<Turn | null>;
}

export const CALL_STATES = ["planned", "started", "finished"] as const;

/** A tool call whose step is not in the transcript yet. */
export interface JournaledCall {
  readonly call: ToolCall;
  /** For the first call of a step: what the agent said before it. */
  readonly said: string;
  /** If its process ended, `started` is all that is known: the call may or may not have taken effect. */
  readonly state: (typeof CALL_STATES)[number];
  readonly result: string | null;
  /** The process group that the call started, by its leader's name; null if there is none. */
  readonly process: string | null;
}

/**
 * The journal of tool calls: planned, started, done. Each is written before it happens, so no process repeats a call.
 * Storing a step removes its calls from the journal. Each write is false if the turn's fence is stale.
 */
export interface ToolJournal {
  planned(turn: Turn, call: ToolCall, said: string): Promise<boolean>;
  started(turn: Turn, call: ToolCall): Promise<boolean>;
  /** The call started a process of its own. */
  leads(turn: Turn, call: ToolCall, process: string): Promise<boolean>;
  finished(turn: Turn, call: ToolCall, result: string): Promise<boolean>;
  /** The calls of the turn's last step, in order. */
  open(turn: Turn): Promise<JournaledCall[]>;
}

/** The process that has an account, and since when. */
export interface AccountLease extends Lease {
  readonly since: number;
}

/** Accounts of platforms. One process at a time has an account, by a lease. */
export interface Accounts {
  lease(account: Account, now: number): Promise<AccountLease | null>;
  /** Every account that a process has, or had when it ended. */
  held(now: number): Promise<readonly (Account & AccountLease)[]>;
  /** Takes the account if it is free, its lease has run out, or the holder `ended` has it. */
  take(account: Account, hold: Hold, ended: string | null, now: number): Promise<boolean>;
  /** False if another process has it by now. */
  renew(account: Account, hold: Hold, now: number): Promise<boolean>;
  release(account: Account, holder: string): Promise<void>;
  /** A value that is stored for an account. */
  read(account: Account, name: string): Promise<string | null>;
  write(account: Account, name: string, value: string): Promise<void>;
  /** The values that accounts store under a name. */
  all(name: string): Promise<readonly (Account & { readonly value: string })[]>;
  /** By platform, the default one first, then by word. */
  homes(): Promise<HomeChannel[]>;
  /** Moves the one of its platform that has the word. False if the word is another platform's. */
  setHome(home: HomeChannel): Promise<boolean>;
  removeHome(home: HomeChannel): Promise<void>;
}

/** What a step of a handoff commits together with the handoff. */
export interface GatewayEffects extends HandoffEffects {
  /** An announcement goes into the outbox once. */
  readonly deliveries?: readonly NewDelivery[];
  /** The first message in the new lane, before those that move there. */
  readonly first?: NewInboxItem;
  /** If the handoff fails: what the destination reads if it was told before. What was not sent yet is dropped. */
  readonly retraction?: readonly string[];
}

/** Files of messages, by their names in the media folder. Another store may have files there too. */
export interface MediaFiles {
  /** They are about to be saved: from then on they belong to this store. */
  taking(files: readonly string[], now: number): Promise<void>;
  /** Files of this store that are older and that nothing in it refers to. */
  unneeded(takenBefore: number): Promise<string[]>;
  /** They were removed. */
  gone(files: readonly string[]): Promise<void>;
  /** The latest files of a session, and of what waits in its lane. */
  inSession(sessionId: SessionId, key: SessionKey): Promise<Attachment[]>;
}

export type Spent = "modelCalls" | "mediaBytes";

export interface DaySpending extends Readonly<Record<Spent, number>>, Spend {
  readonly identity: string;
}

/** What people have used of a day's limits. The identities belong to one person and count together. */
export interface Spending {
  /** Adds as much as the limit allows, at most that much; returns how much. */
  grant(
    identities: readonly string[],
    what: Spent,
    most: number,
    limit: number,
    day: string,
  ): Promise<number>;
  /** Gives back what was granted and not used. */
  giveBack(identities: readonly string[], what: Spent, amount: number, day: string): Promise<void>;
  /** What everybody used on a day. */
  of(day: string): Promise<readonly DaySpending[]>;
}

/** What an owner allowed permanently: calls of exactly one kind, by one person, in one lane. */
export interface StandingApproval {
  readonly id: number;
  readonly key: SessionKey;
  /** Whose calls. */
  readonly identity: string;
  /** A hash of the tool and exactly what it would do. */
  readonly digest: string;
  /** A short text of it, for people. */
  readonly shown: string;
}

export interface StandingApprovals {
  add(approval: Omit<StandingApproval, "id">, now: number): Promise<void>;
  /** The identities belong to one person. */
  has(key: SessionKey, identities: readonly string[], digest: string): Promise<boolean>;
  /** Oldest first. */
  in(key: SessionKey): Promise<StandingApproval[]>;
  /** False if that lane has none with that number. */
  remove(key: SessionKey, id: number): Promise<boolean>;
}

/** A terminal that is open, or was when its process ended. */
export interface OpenTerminal extends Lease {
  /** The lane that it is in. */
  readonly key: SessionKey;
  readonly isScript: boolean;
  /** The lane to which a script gives its session back; null if it goes nowhere. */
  readonly backTo: SessionKey | null;
}

/** The open terminals, in all processes: one for each holder. */
export interface Terminals {
  /** This holder is in that lane, from now on and that long. */
  enter(terminal: Omit<OpenTerminal, keyof Lease>, hold: Hold, now: number): Promise<void>;
  /**
   * The lane of a script goes with the last terminal in it, and its session ends. A session that was borrowed goes back with
   * the last script, unless its lane has another session meanwhile. False if the holder was not there: then another process
   * has tidied up after it.
   */
  leave(holder: string, now: number): Promise<boolean>;
  all(now: number): Promise<OpenTerminal[]>;
}

export interface GatewayStore extends MemoryStores, WatchedStores {
  readonly inbox: Inbox;
  readonly turns: Turns;
  readonly journal: ToolJournal;
  readonly outbox: Outbox;
  readonly people: PeopleStore;
  readonly accounts: Accounts;
  readonly handoffs: HandoffStore<GatewayEffects>;
  readonly lanes: LaneStore;
  /** Reports what this process commits, and soon after what others commit. The returned function ends it. */
  subscribe(subscriber: Subscriber): () => void;
  readonly processes: ProcessStore;
  readonly reports: ProcessReports;
  readonly jobs: JobStore;
  readonly jobRuns: JobRuns;
  readonly files: MediaFiles;
  readonly terminals: Terminals;
  readonly spending: Spending;
  readonly usage: UsageStore;
  readonly standing: StandingApprovals;
  readonly erasure: ErasureStore;
}
