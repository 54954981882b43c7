/**
 * Feeds the search index behind the messages, from a watermark, so that a turn's transaction never waits for it.
 * Several processes may feed one store: the watermark moves by compare-and-set, so no message is indexed twice. A
 * feed that fails loses nothing: search looks at what is not indexed, and the next feed begins where this one ended.
 */

import { setImmediate as nextTick, setTimeout as sleep } from "node:timers/promises";
import { timerMs } from "../../util/timer-ms.js";
import type { Db, Queries, Row } from "../db.js";
import type { IndexedMessage, SearchIndex } from "../search-index.js";
import { columnsOf } from "../sql/columns.js";
import { ERASED, storedMessage } from "../sql/rows.js";
import { number, text } from "../sql/values.js";
import { belongsTerm, searchableText, termsOf } from "./terms.js";

/** Few enough that a turn hardly waits for one. */
const BATCH = 50;
/** After each batch the store is left to others for so many times as long as it took. */
const REST = 3;
const DELAY_MS = 250;

export class SearchFeed {
  readonly #db: Db;
  readonly #index: SearchIndex;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  readonly #stop = new AbortController();
  readonly #unsubscribe: () => void;

  constructor(db: Db, index: SearchIndex) {
    this.#db = db;
    this.#index = index;
    this.#unsubscribe = db.subscribe(({ kind }) => {
      if (kind === "messages") this.#soon();
    });
    this.#soon(); // What another process left.
  }

  /** Costs nothing on the message path. */
  #soon(): void {
    if (this.#timer || this.#stop.signal.aborted) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      // However much there is, messages come first.
      this.#running = this.#indexInBackground()
        .catch(() => {}) // The messages stay in the tail, which search reads; the next ones are another try.
        .finally(() => {
          this.#running = undefined;
        });
    }, DELAY_MS);
    this.#timer.unref();
  }

  /** Indexes until at most `tail` messages are left out. */
  async catchUp(tail: number): Promise<void> {
    for (;;) {
      const { n } = (await this.#db.get(
        "SELECT count(*) AS n FROM (SELECT 1 FROM messages WHERE id > (SELECT indexed_through FROM search_watermark) LIMIT ?) AS capped",
        tail + 1,
      )) ?? { n: 0 };
      if (number(n) <= tail) return;
      const settled = await this.#index.settledThrough();
      if (settled === null || (await this.#indexBatch(settled)) === "last") return;
      await nextTick();
    }
  }

  /** Indexes all there is now, at once. */
  async indexAll(): Promise<void> {
    const settled = await this.#index.settledThrough();
    if (settled === null) return this.#soon();
    while (!this.#stop.signal.aborted && (await this.#indexBatch(settled)) !== "last") await nextTick();
  }

  /** The same with rests in between. If another process feeds the index, it is left to that one for now. */
  async #indexInBackground(): Promise<void> {
    const settled = await this.#index.settledThrough();
    if (settled === null) return this.#soon();
    while (!this.#stop.signal.aborted) {
      const began = performance.now();
      const batch = await this.#indexBatch(settled);
      if (batch === "last") return;
      if (batch === "lost") return this.#soon();
      await this.#rest((performance.now() - began) * REST);
    }
  }

  async stop(): Promise<void> {
    this.#unsubscribe();
    this.#stop.abort();
    clearTimeout(this.#timer);
    await this.#running;
  }

  async #rest(ms: number): Promise<void> {
    await sleep(timerMs(ms), undefined, { signal: this.#stop.signal, ref: false }).catch(() => {}); // Stopped: it rests no more.
  }

  /** `lost`: another process was quicker. Terms are made before the transaction, which stays short. */
  async #indexBatch(settled: number): Promise<"more" | "last" | "lost"> {
    const watermark = await readWatermark(this.#db);
    if (watermark >= settled) return "last";
    const rows = await this.#db.all(
      `SELECT ${columnsOf("messages", "m")}, s.owner FROM messages m JOIN sessions s ON s.id = m.session_id
       WHERE m.id > ? AND m.id <= ? ORDER BY m.id LIMIT ?`,
      watermark,
      settled,
      BATCH,
    );
    const through = rows.length < BATCH ? settled : number(rows.at(-1)?.id);
    const messages = rows.map((row) => ({ id: number(row.id), terms: indexTerms(row) }));
    return this.#db.transaction(async (tx) => {
      const moved = await tx.run(
        "UPDATE search_watermark SET indexed_through = ? WHERE indexed_through = ?",
        through,
        watermark,
      );
      if (moved !== 1) return "lost";
      await this.#index.add(tx, await this.#stillThere(tx, messages, watermark, through));
      return through < settled ? "more" : "last";
    });
  }

  /** Those that were neither pruned nor erased since they were read. */
  async #stillThere(
    tx: Queries,
    messages: readonly IndexedMessage[],
    after: number,
    through: number,
  ): Promise<IndexedMessage[]> {
    const sql = "SELECT id FROM messages WHERE id > ? AND id <= ? AND content <> ?";
    const rows = await tx.all(sql, after, through, ERASED);
    const ids = new Set(rows.map((row) => number(row.id)));
    return messages.filter(({ id }) => ids.has(id));
  }
}

/** The terms of a message row joined with its session's `owner`: what it says, and what it belongs to. */
function indexTerms(row: Row): string[] {
  const labels = [belongsTerm("owner", text(row.owner)), belongsTerm("session", text(row.session_id))];
  return [...labels, ...termsOf(searchableText(storedMessage(row)))];
}

export async function readWatermark(tx: Queries): Promise<number> {
  return number((await tx.get("SELECT indexed_through FROM search_watermark"))?.indexed_through);
}
