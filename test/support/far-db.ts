/**
 * A database that is far away, without a clock: each statement waits until the test lets the next round through, and
 * every round lets through all that wait by then. How many rounds something takes is how deep its round trips are.
 */
import type { Fact, Subscriber } from "../../src/gateway/facts.js";
import type { Db, Queries } from "../../src/store/db.js";

export class FarDb implements Db {
  readonly #db: Db;
  #waiting: (() => void)[] = [];
  /** How many statements the engine works on. */
  #working = 0;
  /** How many round trips there were. */
  trips = 0;
  /** Off until the test begins to count. */
  isFar = false;

  constructor(db: Db) {
    this.#db = db;
  }

  get dialect() {
    return this.#db.dialect;
  }

  get(...given: Parameters<Queries["get"]>) {
    return this.#trip(() => this.#db.get(...given));
  }

  all(...given: Parameters<Queries["all"]>) {
    return this.#trip(() => this.#db.all(...given));
  }

  run(...given: Parameters<Queries["run"]>) {
    return this.#trip(() => this.#db.run(...given));
  }

  maintain(sql: string) {
    return this.#trip(() => this.#db.maintain(sql));
  }

  write(...given: Parameters<Queries["get"]>) {
    return this.#trip(() => this.#db.write(...given));
  }

  /** BEGIN, each statement, and COMMIT. */
  async transaction<Result>(work: (tx: Queries) => Promise<Result>): Promise<Result> {
    await this.#trip(async () => {});
    const result = await this.#db.transaction((tx) => work(this.#farther(tx)));
    await this.#trip(async () => {});
    return result;
  }

  snapshot<Result>(work: (tx: Queries) => Promise<Result>): Promise<Result> {
    return this.#db.snapshot((tx) => work(this.#farther(tx)));
  }

  readAside(...given: Parameters<Queries["all"]>) {
    return this.#trip(() => this.#db.readAside(...given));
  }

  record(fact: Fact) {
    this.#db.record(fact);
  }

  subscribe(subscriber: Subscriber) {
    return this.#db.subscribe(subscriber);
  }

  watch(subscriber: Subscriber) {
    return this.#db.watch(subscriber);
  }

  close() {
    return this.#db.close();
  }

  /** Lets rounds through until that has happened; how many it took. */
  async roundsOf(work: Promise<unknown>): Promise<number> {
    this.isFar = true;
    let isOver = false;
    const over = work.finally(() => {
      isOver = true;
    });
    let rounds = 0;
    while (!isOver) {
      await new Promise((resolve) => setImmediate(resolve));
      if (this.#working > 0 || this.#waiting.length === 0) continue;
      rounds += 1;
      const waiting = this.#waiting;
      this.#waiting = [];
      for (const go of waiting) go();
    }
    this.isFar = false;
    await over;
    return rounds;
  }

  async #trip<Result>(statement: () => Promise<Result>): Promise<Result> {
    this.trips += 1;
    if (this.isFar) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#working += 1;
    try {
      return await statement();
    } finally {
      this.#working -= 1;
    }
  }

  #farther(tx: Queries): Queries {
    return {
      get: (...given) => this.#trip(() => tx.get(...given)),
      all: (...given) => this.#trip(() => tx.all(...given)),
      run: (...given) => this.#trip(() => tx.run(...given)),
      write: (...given) => this.#trip(() => tx.write(...given)),
      record: (fact) => tx.record(fact),
    };
  }
}
