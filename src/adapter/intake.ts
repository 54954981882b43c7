/**
 * What comes in, chat by chat: in order within a chat, chats side by side. An entry that could not be taken is tried
 * again until it is, and nothing of its chat overtakes it. The platform is told how far everything is settled: up to the
 * first entry that is still open, so nothing is confirmed that was not saved.
 */
import { backoff, type Pauses } from "../util/backoff.js";
import { pause } from "./http-call.js";

const PAUSES: Pauses = { firstMs: 250, longestMs: 30_000 };

export interface IntakeOptions<Position> {
  /** Remembers how far all is settled: always the newest, one call at a time, again if it fails. */
  readonly settle?: (position: Position) => Promise<void>;
  /** Waits before the next attempt, but not past the end. */
  readonly wait?: (attempt: number, end: AbortSignal) => Promise<void>;
}

/** An entry that is being worked on. */
interface Open<Position> {
  /** How far all is settled if it is the first that is open. */
  readonly before: Position | undefined;
}

export class Intake<Position = never> {
  readonly #options: IntakeOptions<Position>;
  /** The last work of each chat. */
  readonly #chains = new Map<string, Promise<void>>();
  /** In the order in which they came. */
  readonly #open = new Set<Open<Position>>();
  readonly #end = new AbortController();
  #last: Position | undefined;
  #settled: Position | undefined;
  #settling: Promise<void> = Promise.resolve();
  /** Those who wait for entries to be settled. */
  #waiting: (() => void)[] = [];

  constructor(options: IntakeOptions<Position> = {}) {
    this.#options = options;
  }

  /** Everything up to here is settled. */
  get settledUpTo(): Position | undefined {
    const [first] = this.#open;
    return first ? first.before : this.#last;
  }

  /** How many entries are open. */
  get open(): number {
    return this.#open.size;
  }

  /** The platform counts anew from here. */
  beginAt(position: Position): void {
    this.#open.clear();
    this.#last = position;
    this.#settled = position;
  }

  /** An entry that asks for nothing. */
  pass(position: Position): void {
    this.#last = position;
    this.#progress();
  }

  /** Takes it when the entries of its chat before it are taken. Without a position it only holds up what comes after it. */
  add(chat: string, work: () => Promise<void>, position: Position | undefined = this.#last): void {
    if (this.#end.signal.aborted) return;
    const entry: Open<Position> = { before: this.#last };
    this.#last = position;
    this.#open.add(entry);
    void this.#next(chat, async () => {
      if (!(await this.#untilDone(work))) return;
      this.#open.delete(entry);
      this.#progress();
    });
  }

  /** The same for what is no entry of the platform's: nothing but its chat waits for it. */
  beside(chat: string, work: () => Promise<void>): Promise<void> {
    return this.#next(chat, async () => void (await this.#untilDone(work)));
  }

  /** Tries it once, in the order of its chat; fails if it could not be taken: then the platform sends it again. */
  once<Result>(chat: string, work: () => Promise<Result>): Promise<Result> {
    return this.#next(chat, async () => {
      this.#end.signal.throwIfAborted();
      return work();
    });
  }

  /** Settles when fewer entries than this are open, or at the end. For those who read on: what waits here is bounded. */
  async fewerThan(most: number): Promise<void> {
    while (this.open >= most && !this.#end.signal.aborted)
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  /** Settles when nothing is open, or after that long: one slow chat must not hold up what the platform has for others. */
  async quiet(ms: number): Promise<void> {
    const enough = new AbortController();
    await Promise.race([this.fewerThan(1), pause(ms, enough.signal)]);
    enough.abort();
  }

  /** Takes no more; waits for the work in hand. What is open is left for the next process. */
  async stop(): Promise<void> {
    this.#end.abort();
    this.#wakeWaiting();
    await Promise.allSettled(this.#chains.values());
    await this.#settling;
  }

  #next<Result>(chat: string, work: () => Promise<Result>): Promise<Result> {
    const before = this.#chains.get(chat) ?? Promise.resolve();
    const mine = before.then(work);
    const done = (): void => {
      if (this.#chains.get(chat) === over) this.#chains.delete(chat);
    };
    const over: Promise<void> = mine.then(done, done); // Those behind it go on; who asked for it hears if it failed.
    this.#chains.set(chat, over);
    return mine;
  }

  /** False if it was stopped before. */
  async #untilDone(work: () => Promise<void>): Promise<boolean> {
    const { signal } = this.#end;
    for (let attempt = 0; !signal.aborted; attempt += 1) {
      try {
        await work();
        return true;
      } catch {
        await this.#wait(attempt); // Who takes messages says what is wrong; here they only have to come again.
      }
    }
    return false;
  }

  #progress(): void {
    this.#settling = this.#settling.then(() => this.#settle());
    this.#wakeWaiting();
  }

  async #settle(): Promise<void> {
    const { settle } = this.#options;
    for (let attempt = 0; settle; attempt += 1) {
      const position = this.settledUpTo;
      if (position === undefined || position === this.#settled) return;
      try {
        await settle(position);
        this.#settled = position;
        return;
      } catch {
        if (this.#end.signal.aborted) return; // It is only behind: what comes again is known by its id.
        await this.#wait(attempt);
      }
    }
  }

  #wait(attempt: number): Promise<void> {
    const { wait } = this.#options;
    const { signal } = this.#end;
    if (wait) return wait(attempt, signal);
    return pause(backoff(attempt + 1, PAUSES), signal);
  }

  #wakeWaiting(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const wake of waiting) wake();
  }
}
