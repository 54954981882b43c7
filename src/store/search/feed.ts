/**
 * Feeds the search index behind the messages, from a watermark, so that a turn's transaction never waits for it. What an
 * older Baton indexed it labels meanwhile, newest first, down from another watermark.
 * Several processes may feed one store: the watermark moves by compare-and-set, so no message is indexed twice. A
 * feed that fails loses nothing: search looks at what is not indexed, and the next feed begins where this one ended.
 */

import { setImmediate as nextTick, setTimeout as sleep } from "node:timers/promises";
import { InTurns } from "../../util/in-turns.js";
import { timerMs } from "../../util/timer-ms.js";
import type { Db, Queries, Row } from "../db.js";
import type { IndexedMessage, SearchIndex } from "../search-index.js";
import { columnsOf } from "../sql/columns.js";
import { ERASED, storedMessage } from "../sql/rows.js";
import { number } from "../sql/values.js";
import { labelsOf } from "./labels.js";
import { searchableText, termsOf } from "./terms.js";

/** Few enough that a turn hardly waits for one: messages, and terms of them. */
const BATCH = 50;
const BATCH_TERMS = 10_000;
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
      if (this.#running) return this.#soon();
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

  /** Indexes all there is now, at once, until the signal aborts. */
  async indexAll(signal?: AbortSignal): Promise<void> {
    const settled = await this.#index.settledThrough();
    if (settled === null) return this.#soon();
    const isOver = (): boolean => this.#stop.signal.aborted || signal?.aborted === true;
    while (!isOver() && (await this.#indexBatch(settled)) !== "last") await nextTick();
  }

  /** The same with rests in between, then the labels. If another process feeds the index, it is left to that one for now. */
  async #indexInBackground(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      const settled = await this.#index.settledThrough();
      if (settled === null) return this.#soon();
      let batch: BatchOutcome = "more";
      while (batch === "more" && !this.#stop.signal.aborted) {
        batch = await this.#rested(() => this.#indexBatch(settled));
      }
      if (batch === "last") batch = await this.#rested(() => this.#labelBatch());
      if (batch === "last") return;
      if (batch === "lost") return this.#soon();
    }
  }

  async stop(): Promise<void> {
    this.#unsubscribe();
    this.#stop.abort();
    clearTimeout(this.#timer);
    await this.#running;
  }

  async #rested(work: () => Promise<BatchOutcome>): Promise<BatchOutcome> {
    const began = performance.now();
    const batch = await work();
    const rest = (performance.now() - began) * REST;
    if (batch === "more")
      await sleep(timerMs(rest), undefined, { signal: this.#stop.signal, ref: false }).catch(() => {}); // Stopped.
    return batch;
  }

  /** Terms are made before the transaction, which stays short. */
  async #indexBatch(settled: number): Promise<BatchOutcome> {
    const { indexedThrough } = await readMarks(this.#db);
    if (indexedThrough >= settled) return "last";
    const rows = await this.#db.all(
      `${MESSAGES} WHERE m.id > ? AND m.id <= ? ORDER BY m.id LIMIT ?`,
      indexedThrough,
      settled,
      BATCH,
    );
    const messages = await withTerms(rows);
    const isAll = rows.length < BATCH && messages.length === rows.length;
    const through = isAll ? settled : (messages.at(-1)?.id ?? settled);
    return this.#change(async (tx) => {
      const moved = await tx.run(
        "UPDATE search_watermark SET indexed_through = ? WHERE indexed_through = ?",
        through,
        indexedThrough,
      );
      if (moved !== 1) return "lost";
      await this.#index.put(tx, await this.#stillThere(tx, messages, indexedThrough, through));
      return through < settled ? "more" : "last";
    });
  }

  /** The newest messages that have no labels yet are indexed again. */
  async #labelBatch(): Promise<BatchOutcome> {
    const { labelledAbove } = await readMarks(this.#db);
    if (labelledAbove === 0) return "last";
    const rows = await this.#db.all(
      `${MESSAGES} WHERE m.id <= ? ORDER BY m.id DESC LIMIT ?`,
      labelledAbove,
      BATCH,
    );
    const messages = await withTerms(rows);
    const isAll = rows.length < BATCH && messages.length === rows.length;
    const above = isAll ? 0 : (messages.at(-1)?.id ?? 1) - 1;
    return this.#change(async (tx) => {
      const moved = await tx.run(
        "UPDATE search_watermark SET labelled_above = ? WHERE labelled_above = ?",
        above,
        labelledAbove,
      );
      if (moved !== 1) return "lost";
      await this.#index.put(tx, await this.#stillThere(tx, messages.toReversed(), above, labelledAbove));
      return "more";
    });
  }

  async #change(work: (tx: Queries) => Promise<BatchOutcome>): Promise<BatchOutcome> {
    const batch = await this.#db.transaction(work);
    if (batch !== "lost") await this.#index.tidy();
    return batch;
  }

  /** Those that were neither pruned nor erased, in whole or in part, since they were read. */
  async #stillThere(
    tx: Queries,
    messages: readonly MessageTerms[],
    after: number,
    through: number,
  ): Promise<IndexedMessage[]> {
    const sql = "SELECT id, content FROM messages WHERE id > ? AND id <= ? AND content <> ?";
    const rows = await tx.all(sql, after, through, ERASED);
    const now = new Map(rows.map((row) => [number(row.id), row.content]));
    return messages.filter(({ id, content }) => now.get(id) === content);
  }
}

/** With the words from which its terms were made. */
type MessageTerms = IndexedMessage & { readonly content: unknown };

/** `lost`: another process was quicker. */
type BatchOutcome = "more" | "last" | "lost";

const MESSAGES = `SELECT ${columnsOf("messages", "m")}, s.owner FROM messages m JOIN sessions s ON s.id = m.session_id`;

/** The first of these messages as the index takes them: at least one, and no more than a transaction should have. */
async function withTerms(rows: readonly Row[]): Promise<MessageTerms[]> {
  const turns = new InTurns();
  const messages: MessageTerms[] = [];
  let count = 0;
  for (const row of rows) {
    await turns.next();
    const terms = [...labelsOf(row), ...termsOf(searchableText(storedMessage(row)))];
    count += terms.length;
    if (count > BATCH_TERMS && messages.length > 0) break;
    messages.push({ id: number(row.id), terms, content: row.content });
  }
  return messages;
}

/** Messages up to `indexedThrough` are in the index; those of them above `labelledAbove` with their labels. */
export interface SearchMarks {
  readonly indexedThrough: number;
  readonly labelledAbove: number;
}

export async function readMarks(tx: Queries): Promise<SearchMarks> {
  const row = await tx.get("SELECT indexed_through, labelled_above FROM search_watermark");
  return { indexedThrough: number(row?.indexed_through), labelledAbove: number(row?.labelled_above) };
}
