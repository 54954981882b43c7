/** The search index on PostgreSQL: a table of tsvectors under a GIN index, one row a message. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Db, Queries } from "../db.js";
import type { Phrase } from "../search/query.js";
import type { IndexedMessage, SearchIndex } from "../search-index.js";

/** PostgreSQL keeps at most this many positions of one term. */
const MAX_POSITIONS = 255;
const MAX_POSITION = 16_383;

const WRITERS = `SELECT virtualtransaction AS writer FROM pg_locks
  WHERE relation = 'messages'::regclass AND mode = 'RowExclusiveLock' AND granted
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
/** A writer that takes longer is left for the next time. */
const PATIENCE_MS = 50;
const LOOK_MS = 5;

export class PostgresSearchIndex implements SearchIndex {
  readonly from = "message_terms JOIN messages m ON m.id = message_terms.message_id";
  readonly idColumn = "message_terms.message_id";
  readonly condition = "message_terms.terms @@ ?::tsquery";
  readonly #db: Db;

  constructor(db: Db) {
    this.#db = db;
  }

  /**
   * Ids are given out before they commit, so the largest visible one may have smaller ones still to come: those of the
   * transactions that write messages now. When these have ended, all up to that id is settled. They are watched, not locked
   * out: everybody who writes would have to wait behind a lock.
   */
  async settledThrough(): Promise<number | null> {
    const through = Number((await this.#db.get("SELECT max(id) AS id FROM messages"))?.id ?? 0);
    const deadline = performance.now() + PATIENCE_MS;
    let open = await this.#writers();
    while (open.length > 0) {
      if (performance.now() > deadline) return null;
      await sleep(LOOK_MS);
      const now = await this.#writers();
      open = open.filter((writer) => now.includes(writer));
    }
    return through;
  }

  /** The transactions that may have the id of a message in hand: they have had this lock since before. */
  async #writers(): Promise<unknown[]> {
    return (await this.#db.all(WRITERS)).map(({ writer }) => writer);
  }

  async put(tx: Queries, messages: readonly IndexedMessage[]): Promise<void> {
    await tx.run(
      `INSERT INTO message_terms (message_id, terms)
       SELECT (added ->> 0)::bigint, (added ->> 1)::tsvector FROM json_array_elements(?::json) AS added
       ON CONFLICT (message_id) DO UPDATE SET terms = EXCLUDED.terms`,
      JSON.stringify(messages.map(({ id, terms }) => [id, vectorOf(terms)])),
    );
  }

  /** The server does it. */
  async tidy(): Promise<void> {}

  /** Rows go with their messages, by the foreign key. */
  async forget(): Promise<void> {}

  /** A feed that has read them moves the watermark first: it is done, or sees how they are now. */
  async forgetMessages(tx: Queries, ids: readonly number[]): Promise<void> {
    await tx.all("SELECT indexed_through FROM search_watermark FOR UPDATE");
    await tx.run(`DELETE FROM message_terms WHERE message_id IN (${ids.map(() => "?").join(", ")})`, ...ids);
  }

  match(phrases: readonly Phrase[], anyOf: readonly (readonly string[])[]): string {
    const words = phrases.map(({ terms, prefix }) => {
      const last = terms.length - 1;
      return `(${terms.map((term, index) => `'${term}'${prefix && index === last ? ":*" : ""}`).join(" <-> ")})`;
    });
    const groups = anyOf.map((terms) => `(${terms.map((term) => `'${term}'`).join(" | ")})`);
    return [...groups, ...words].join(" & ");
  }
}

/** The text form of a tsvector; terms hold no quotes or backslashes. */
function vectorOf(terms: readonly string[]): string {
  const positions = new Map<string, number[]>();
  terms.forEach((term, index) => {
    const places = positions.get(term) ?? [];
    if (places.length < MAX_POSITIONS) places.push(Math.min(index + 1, MAX_POSITION));
    positions.set(term, places);
  });
  return [...positions].map(([term, places]) => `'${term}':${places.join(",")}`).join(" ");
}
