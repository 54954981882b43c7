/**
 * The turns of one key in order: what waits, what is running, and what keeps the next one from starting. The inbox
 * stores it all; this is only the current state.
 */
import type { InboxId } from "../session/ids.js";
import type { Access, Who } from "./authorize.js";
import type { Account, InboxItem, RunningTurn } from "./store.js";
import type { StopReason, TurnRun } from "./turn-run.js";

/** The message that a lane is answering, from before its turn begins. */
export interface Answering {
  readonly item: InboxItem;
  /** Its author, with their rights in the chat where it is answered. */
  readonly author: Promise<Access>;
  /** Settles when the answer is done. */
  readonly over: Promise<unknown>;
}

export class Lane {
  readonly queue: InboxItem[] = [];
  /** Turns that another process left unfinished: they come before what waits. */
  readonly left: RunningTurn[] = [];
  /** Why it could not continue when it last tried. */
  trouble: string | null = null;
  /** The message for whose burst it has waited. */
  gathered: InboxId | null = null;
  /** Settles when nothing is being answered. */
  pumping: Promise<void> | undefined;
  #run: TurnRun | undefined;
  #answering: Answering | undefined;
  #stopAsked: StopReason | undefined;
  #interrupting: Who[] = [];
  readonly #holds = new Set<Promise<unknown>>();
  #changing: Promise<unknown> = Promise.resolve();
  readonly #sessionChanges = new Set<Promise<unknown>>();

  get run(): TurnRun | undefined {
    return this.#run;
  }

  set run(run: TurnRun | undefined) {
    this.#run = run;
    if (this.queued.some(isFromPerson)) run?.personWrote();
    if (this.#stopAsked) run?.stop(this.#stopAsked);
  }

  get answering(): Answering | undefined {
    return this.#answering;
  }

  /** How many messages arrived and are not being answered yet. */
  get waiting(): number {
    return this.queued.length + (this.#run?.unread.length ?? 0);
  }

  /** The messages that wait for their own turn, without those that are steered into the current one. */
  get queued(): readonly InboxItem[] {
    return this.queue.filter(({ id }) => id !== this.#answering?.item.id);
  }

  /** True if no agent has read it: its turn has not begun, and the one that it joins has not come to it. */
  isWaiting({ id }: InboxItem): boolean {
    return [...this.queued, ...(this.#run?.unread ?? [])].some((item) => item.id === id);
  }

  /** Queues a message, once, in the order in which they were accepted. */
  add(item: InboxItem): void {
    if (this.queue.some(({ id }) => id === item.id)) return;
    const before = this.queue.findLastIndex(({ id }) => id < item.id);
    this.queue.splice(before + 1, 0, item);
    if (isFromPerson(item)) this.#run?.personWrote();
  }

  /** The author edited it before anybody began to answer. */
  amend(item: InboxItem): void {
    const place = this.queue.findIndex(({ id }) => id === item.id);
    if (place >= 0) this.queue[place] = item;
  }

  /** Its author deleted it before anybody began to answer. */
  withdraw({ id }: InboxItem): void {
    const place = this.queue.findIndex((each) => each.id === id && each.id !== this.#answering?.item.id);
    if (place >= 0) this.queue.splice(place, 1);
  }

  /** Takes these out of the queue: the turn that answers the message before them answers them too. */
  take(items: readonly InboxItem[]): void {
    for (const item of items) this.remove(item);
  }

  remove(item: InboxItem): void {
    const place = this.queue.indexOf(item);
    if (place >= 0) this.queue.splice(place, 1);
  }

  /** Drops the waiting messages of an account: they come again, in order, in the process that has the account. */
  leave({ platform, account }: Account): void {
    const others = this.queue.filter((item) => item.platform !== platform || item.account !== account);
    this.queue.splice(0, this.queue.length, ...others);
  }

  /** True if it contains nothing that the inbox does not have. */
  get isEmpty(): boolean {
    const rests = !this.pumping && !this.#answering && this.#holds.size === 0;
    return rests && this.queue.length === 0 && this.left.length === 0;
  }

  /** Waits until nothing is being answered, and no command is running. */
  async idle(): Promise<void> {
    while (this.pumping || this.#holds.size > 0) await Promise.allSettled([this.pumping, ...this.#holds]);
  }

  /** Ends the current turn soon, also one that is just starting; false if there is none, or not for that message. */
  stop(reason: StopReason, inboxId = this.#answering?.item.id): boolean {
    if (!this.#answering || this.#answering.item.id !== inboxId) return false;
    this.#stopAsked = reason;
    this.#run?.stop(reason);
    return true;
  }

  /** Remembers somebody who wants to interrupt a turn that runs in another process, if they may. */
  wouldInterrupt(who: Who): void {
    if (this.#run === undefined) this.#interrupting.push(who);
  }

  /** The people who want to interrupt a turn in another process; each is returned once. */
  takeInterrupting(): readonly Who[] {
    return this.#interrupting.splice(0);
  }

  /** Answers one message, when nothing holds the lane and the turn before is done. */
  async answer<Result>(
    item: InboxItem,
    authorOf: (item: InboxItem) => Promise<Access>,
    work: (author: Promise<Access>) => Promise<Result>,
  ): Promise<Result> {
    while (this.#holds.size > 0 || this.#answering) {
      await Promise.allSettled([...this.#holds, this.#answering?.over]);
    }
    const author = authorOf(item);
    author.catch(() => {}); // The caller gets the error.
    const over = work(author);
    this.#answering = { item, author, over };
    try {
      return await over;
    } finally {
      this.#answering = undefined;
      this.#stopAsked = undefined;
    }
  }

  /** Starts no turn until the work is done: a message that was written after a command sees the command's effect. */
  async hold<Result>(work: () => Promise<Result>): Promise<Result> {
    const working = work();
    this.#holds.add(working);
    try {
      return await working;
    } finally {
      this.#holds.delete(working);
    }
  }

  /** The same, for a command that may give the lane another session. */
  async changeSession<Result>(work: () => Promise<Result>): Promise<Result> {
    const changed = this.hold(work);
    this.#sessionChanges.add(changed);
    try {
      return await changed;
    } finally {
      this.#sessionChanges.delete(changed);
    }
  }

  /** Waits until no such command runs. */
  async settled(): Promise<void> {
    while (this.#sessionChanges.size > 0) await Promise.allSettled(this.#sessionChanges);
  }

  /** Holds the lane as well, one change at a time. */
  change<Result>(work: () => Promise<Result>): Promise<Result> {
    const before = this.#changing;
    const changed = this.hold(async () => {
      await Promise.allSettled([before]);
      return work();
    });
    this.#changing = changed;
    return changed;
  }
}

/** Not of what Baton itself tells the agent. */
function isFromPerson({ inBackground }: InboxItem): boolean {
  return inBackground !== true;
}
