/**
 * The work of this process on one SQLite connection, in order. Writes that wait at the same moment share one durable commit,
 * and each caller hears of its own only after that commit; so a hundred chats that write at once wait for one `fsync`, not
 * for a hundred. A caller sees nothing of it: work that fails takes back only what it wrote itself. What only reads waits
 * for the commit: if it meets a damaged page in an open transaction, the engine would not commit what others wrote.
 *
 * A group ends after a few milliseconds, and the event loop has its turn before the next one.
 */
import { setImmediate as nextTurn } from "node:timers/promises";

/** What the queue needs of the connection. Each may throw. */
export interface CommitConnection {
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
type WorkKind = "read" | "statement" | "transaction" | "alone";

interface QueuedWork {
  readonly kind: WorkKind;
  readonly work: () => Promise<unknown>;
  /** Called after the commit, before any caller hears of it. */
  readonly onCommitted: () => void;
  readonly settle: (outcome: WorkOutcome) => void;
}

/** A job in a group; its outcome counts once the group is committed. */
interface Member {
  readonly job: QueuedWork;
  outcome?: WorkOutcome;
}

type WorkOutcome = { readonly result: unknown } | { readonly error: unknown };

const GROUP_MS = 5;
const MOST_IN_A_GROUP = 200;

export class CommitQueue {
  readonly #connection: CommitConnection;
  #jobs: QueuedWork[] = [];
  #running: Promise<void> | undefined;

  constructor(connection: CommitConnection) {
    this.#connection = connection;
  }

  /** Nothing runs or waits. */
  get isIdle(): boolean {
    return this.#running === undefined;
  }

  add<Result>(
    kind: WorkKind,
    work: () => Promise<Result>,
    onCommitted: () => void = () => {},
  ): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      const settle = (outcome: WorkOutcome): void => {
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

  /** Never rejects. */
  async #runGroup(): Promise<void> {
    const group: Member[] = [];
    try {
      this.#rollBack(); // Nothing is left of a group that failed, however it did.
      await this.#fill(group);
      if (this.#connection.isInTransaction) this.#connection.commit();
    } catch (error) {
      this.#refuse(group, error);
      return;
    }
    for (const { job, outcome } of group) if (outcome && "result" in outcome) job.onCommitted();
    await this.#settle(group);
  }

  /** What callers do next may take its time: the event loop has its turn in between. */
  async #settle(group: readonly Member[]): Promise<void> {
    let until = performance.now() + GROUP_MS;
    for (const { job, outcome } of group) {
      if (outcome) job.settle(outcome);
      await null; // The caller goes on now.
      if (performance.now() < until) continue;
      await nextTurn();
      until = performance.now() + GROUP_MS;
    }
  }

  /** Runs jobs in one transaction, until none waits or time is up. Those that only read come first after the commit. */
  async #fill(group: Member[]): Promise<void> {
    const reads: QueuedWork[] = [];
    try {
      await this.#fillWith(group, reads);
    } finally {
      this.#jobs = [...reads, ...this.#jobs];
    }
  }

  async #fillWith(group: Member[], reads: QueuedWork[]): Promise<void> {
    let until = performance.now() + GROUP_MS;
    do {
      const [job] = this.#jobs;
      const isOpen = this.#connection.isInTransaction;
      if (!job || (isOpen && job.kind === "alone")) return;
      this.#jobs.shift();
      if (isOpen && job.kind === "read") {
        reads.push(job);
        continue;
      }
      const member: Member = { job };
      group.push(member);
      const isAlone = !isOpen && (job.kind === "read" || job.kind === "alone");
      const outcome = isAlone ? await outcomeOf(job.work) : await this.#run(job);
      if (isOpen || this.#connection.isInTransaction) member.outcome = outcome;
      else group.pop()?.job.settle(outcome); // It met only what was committed, and nothing of it is left.
      if (!isOpen && !isAlone) until = performance.now() + GROUP_MS; // The wait for other processes does not count.
    } while (performance.now() < until && group.length < MOST_IN_A_GROUP);
  }

  /** Throws if the transaction cannot begin, or is gone with all that was in it. */
  async #run({ kind, work }: QueuedWork): Promise<WorkOutcome> {
    const connection = this.#connection;
    const isFirst = !connection.isInTransaction;
    if (isFirst) await connection.begin();
    const isShared = kind === "transaction" && !isFirst;
    if (isShared) connection.savepoint();
    const outcome = await outcomeOf(work);
    const hasFailed = "error" in outcome;
    if (!connection.isInTransaction) throw hasFailed ? outcome.error : new Error("The transaction is gone.");
    if (hasFailed && isShared) connection.rollbackToSavepoint();
    else if (hasFailed && isFirst) connection.rollback(); // Nothing else is in it.
    if (isShared) connection.release();
    return outcome;
  }

  /** Nothing of the group was saved. */
  #refuse(group: readonly Member[], error: unknown): void {
    try {
      this.#rollBack();
    } catch {
      // The next group tries again before it begins.
    }
    const [next] = group.length === 0 ? this.#jobs.splice(0, 1) : [];
    next?.settle({ error });
    for (const { job } of group) job.settle({ error });
  }

  #rollBack(): void {
    if (this.#connection.isInTransaction) this.#connection.rollback();
  }
}

async function outcomeOf(work: () => Promise<unknown>): Promise<WorkOutcome> {
  try {
    return { result: await work() };
  } catch (error) {
    return { error };
  }
}
