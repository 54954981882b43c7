/**
 * The work of this process on one SQLite connection, in order. Writes that wait at the same moment share one durable commit,
 * and each caller hears of its own only after that commit; so a hundred chats that write at once wait for one `fsync`, not
 * for a hundred. A caller sees nothing of it: work that fails takes back only what it wrote itself.
 *
 * A group ends after a few milliseconds, and the event loop has its turn before the next one.
 */
import { setImmediate as nextTurn } from "node:timers/promises";

/** What the queue needs of the connection. Each may throw. */
export interface Connection {
  /** Begins a write transaction; waits for other processes. */
  begin(): Promise<void>;
  /** Durable when it returns. */
  commit(): void;
  rollback(): void;
  /** For work that shares a transaction with others. */
  savepoint(): void;
  release(): void;
  rollbackToSavepoint(): void;
  /** False if the engine has rolled back everything by itself, as it does when the disk is full. */
  readonly isInTransaction: boolean;
}

/** `read` writes nothing; if a `statement` fails, the engine takes it back by itself; `alone` has a transaction of its own. */
type Kind = "read" | "statement" | "transaction" | "alone";

interface Job {
  readonly kind: Kind;
  readonly work: () => Promise<unknown>;
  /** Called after the commit, before any caller hears of it. */
  readonly onCommitted: () => void;
  readonly settle: (outcome: Outcome) => void;
}

type Outcome = { readonly result: unknown } | { readonly error: unknown };

const GROUP_MS = 5;
const MOST_IN_A_GROUP = 200;

export class CommitQueue {
  readonly #connection: Connection;
  #jobs: Job[] = [];
  #running: Promise<void> | undefined;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Nothing runs or waits. */
  get isIdle(): boolean {
    return this.#running === undefined;
  }

  add<Result>(kind: Kind, work: () => Promise<Result>, onCommitted: () => void = () => {}): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      const settle = (outcome: Outcome): void => {
        if ("error" in outcome) reject(outcome.error);
        else resolve(outcome.result as Result);
      };
      this.#jobs.push({ kind, work, onCommitted, settle });
      this.#running ??= this.#runAll();
    });
  }

  async idle(): Promise<void> {
    while (this.#running) await this.#running;
  }

  async #runAll(): Promise<void> {
    while (this.#jobs.length > 0) {
      await nextTurn(); // Whoever is about to write does so now, and joins the group.
      await this.#runGroup();
    }
    this.#running = undefined;
  }

  async #runGroup(): Promise<void> {
    const group: Job[] = [];
    const done: { readonly job: Job; readonly outcome: Outcome }[] = [];
    try {
      const until = performance.now() + GROUP_MS;
      do {
        const [job] = this.#jobs;
        const isOpen = this.#connection.isInTransaction;
        if (!job || (isOpen && job.kind === "alone")) break;
        this.#jobs.shift();
        if (!isOpen && (job.kind === "read" || job.kind === "alone")) {
          job.settle(await outcomeOf(job.work)); // It met only what was committed.
          continue;
        }
        group.push(job);
        done.push({ job, outcome: await this.#run(job) });
      } while (performance.now() < until && group.length < MOST_IN_A_GROUP);
      if (this.#connection.isInTransaction) this.#connection.commit();
    } catch (error) {
      if (this.#connection.isInTransaction) this.#connection.rollback();
      // Nothing of the group was saved. What was only read may have been part of it.
      this.#jobs = [...group.filter(({ kind }) => kind === "read"), ...this.#jobs];
      for (const { kind, settle } of group) if (kind !== "read") settle({ error });
      return;
    }
    for (const { job, outcome } of done) if ("result" in outcome) job.onCommitted();
    for (const { job, outcome } of done) job.settle(outcome);
  }

  /** Throws if the transaction cannot begin, or is gone with all that was in it. */
  async #run({ kind, work }: Job): Promise<Outcome> {
    const connection = this.#connection;
    if (kind === "read") return outcomeOf(work);
    const isFirst = !connection.isInTransaction;
    if (isFirst) await connection.begin();
    const isShared = kind === "transaction" && !isFirst;
    if (isShared) connection.savepoint();
    const outcome = await outcomeOf(work);
    const hasFailed = "error" in outcome;
    if (hasFailed && !connection.isInTransaction) throw outcome.error;
    if (hasFailed && isShared) connection.rollbackToSavepoint();
    else if (hasFailed && kind === "transaction") connection.rollback(); // Nothing else is in it.
    if (isShared) connection.release();
    return outcome;
  }
}

async function outcomeOf(work: () => Promise<unknown>): Promise<Outcome> {
  try {
    return { result: await work() };
  } catch (error) {
    return { error };
  }
}
