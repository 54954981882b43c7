/**
 * The turns of one key in order: what waits, what is running, and what keeps the next one from beginning. Its memory is
 * the inbox; this is only its present.
 */
import type { Who } from "./authorize.js";
import type { InboxItem, RunningTurn } from "./store.js";
import type { StopReason, TurnRun } from "./turn-run.js";

export class Lane {
  readonly queue: InboxItem[] = [];
  /** Turns that another process left: they come before what waits. */
  readonly left: RunningTurn[] = [];
  /** Settles when nothing is being answered. */
  pumping: Promise<void> | undefined;
  /** Whose turn is running, or was last; null where they are not let in any more. */
  who: Who | null = null;
  #run: TurnRun | undefined;
  /** The message that is being answered, from before its turn begins, and when that is over. */
  #answering: { readonly inboxId: number; readonly over: Promise<unknown> } | undefined;
  #stopAsked: StopReason | undefined;
  #interrupts = false;
  readonly #holds = new Set<Promise<unknown>>();
  #changing: Promise<unknown> = Promise.resolve();

  get run(): TurnRun | undefined {
    return this.#run;
  }

  set run(run: TurnRun | undefined) {
    this.#run = run;
    if (this.#stopAsked) run?.stop(this.#stopAsked);
  }

  /** How many messages came in and are not being answered yet. */
  get waiting(): number {
    return this.queued.length + (this.#run?.unsteered.length ?? 0);
  }

  /** What waits for its turn, beside what is to be steered into the present one. */
  get queued(): readonly InboxItem[] {
    return this.queue.filter(({ id }) => id !== this.#answering?.inboxId);
  }

  /** Queues a message, once, in the order in which they were accepted. */
  add(item: InboxItem): void {
    if (this.queue.some(({ id }) => id === item.id)) return;
    const before = this.queue.findLastIndex(({ id }) => id < item.id);
    this.queue.splice(before + 1, 0, item);
  }

  /** Its text was changed by whoever wrote it, before anybody began to answer. */
  amend(item: InboxItem): void {
    const place = this.queue.findIndex(({ id }) => id === item.id);
    if (place >= 0) this.queue[place] = item;
  }

  remove(item: InboxItem): void {
    const place = this.queue.indexOf(item);
    if (place >= 0) this.queue.splice(place, 1);
  }

  /** Nothing is in it that the inbox does not have. */
  get isEmpty(): boolean {
    const rests = !this.pumping && !this.#answering && this.#holds.size === 0;
    return rests && this.queue.length === 0 && this.left.length === 0;
  }

  /** Waits until nothing is being answered, and no command carried out. */
  async idle(): Promise<void> {
    while (this.pumping || this.#holds.size > 0) await Promise.allSettled([this.pumping, ...this.#holds]);
  }

  /** Ends the present turn soon, also one that is just beginning; false where there is none, or not for that message. */
  stop(reason: StopReason, inboxId = this.#answering?.inboxId): boolean {
    if (!this.#answering || this.#answering.inboxId !== inboxId) return false;
    this.#stopAsked = reason;
    this.#run?.stop(reason);
    return true;
  }

  /** A message that interrupts has come in. Where nothing runs here, it ends what the lane meets next in another process. */
  interrupt(): void {
    this.stop("interrupted");
    this.#interrupts = this.#run === undefined;
  }

  /** Whether a turn that the lane has met in another process is to be ended; once. */
  takeInterrupt(): boolean {
    const interrupts = this.#interrupts;
    this.#interrupts = false;
    return interrupts;
  }

  /** Answers one message, when nothing holds the lane and the turn before is over. */
  async answer<Result>({ id }: InboxItem, work: () => Promise<Result>): Promise<Result> {
    while (this.#holds.size > 0 || this.#answering) {
      await Promise.allSettled([...this.#holds, this.#answering?.over]);
    }
    const over = work();
    this.#answering = { inboxId: id, over };
    try {
      return await over;
    } finally {
      this.#answering = undefined;
      this.#stopAsked = undefined;
    }
  }

  /** Begins no turn until the work is done: what was written after a command meets what the command has made. */
  async hold<Result>(work: () => Promise<Result>): Promise<Result> {
    const working = work();
    this.#holds.add(working);
    try {
      return await working;
    } finally {
      this.#holds.delete(working);
    }
  }

  /** Stops the present turn and, once it is over, changes its session; one change at a time. */
  change<Result>(work: () => Promise<Result>): Promise<Result> {
    const before = this.#changing;
    const changed = this.hold(async () => {
      this.stop("stopped");
      await Promise.allSettled([before, this.#answering?.over]);
      return work();
    });
    this.#changing = changed;
    return changed;
  }
}
