/** The search index on PostgreSQL: a table of tsvectors under a GIN index, one row a message. */
import type { Db, Queries } from "../db.js";
import type { Phrase } from "../search/query.js";
import type { IndexedMessage, SearchIndex } from "../search/search.js";
import { causeCode } from "./errors.js";

/** PostgreSQL keeps at most this many positions of one term. */
const MAX_POSITIONS = 255;
const MAX_POSITION = 16_383;

const LOCK_TIMEOUT_MS = 50;
const LOCK_NOT_AVAILABLE = "55P03";

export class PostgresSearchIndex implements SearchIndex {
  readonly from = "message_terms JOIN messages m ON m.id = message_terms.message_id";
  readonly idColumn = "message_terms.message_id";
  readonly condition = "message_terms.terms @@ ?::tsquery";
  readonly #db: Db;

  constructor(db: Db) {
    this.#db = db;
  }

  /**
   * Ids are given out before they commit, so the largest visible one may have smaller ones still to come. The lock
   * waits for every writer that has an id in hand, and holds new ones off for the time of one look. It does not wait
   * long: behind a writer that takes its time, every other one would have to.
   */
  async settledThrough(): Promise<number | null> {
    try {
      return await this.#db.transaction(async (tx) => {
        await tx.run(`SET LOCAL lock_timeout = '${LOCK_TIMEOUT_MS}ms'`);
        await tx.run("LOCK TABLE messages IN SHARE MODE");
        return Number((await tx.get("SELECT max(id) AS id FROM messages"))?.id ?? 0);
      });
    } catch (error) {
      if (causeCode(error) === LOCK_NOT_AVAILABLE) return null;
      throw error;
    }
  }

  async add(tx: Queries, messages: readonly IndexedMessage[]): Promise<void> {
    for (const { id, terms } of messages) {
      await tx.run(
        "INSERT INTO message_terms (message_id, terms) VALUES (?, ?::tsvector)",
        id,
        vectorOf(terms),
      );
    }
  }

  /** Rows go with their messages, by the foreign key. */
  async forget(): Promise<void> {}

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
