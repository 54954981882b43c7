/** The search index on SQLite: a contentless FTS5 table whose rowid is the message's id. */
import type { SessionId } from "../../session/ids.js";
import type { Db, Queries } from "../db.js";
import type { Phrase } from "../search/query.js";
import type { IndexedMessage, SearchIndex } from "../search-index.js";

/** So many pages of the index are merged at once: a few milliseconds. By itself, FTS5 merges until it is done. */
const MERGED_PAGES = 16;

export class SqliteSearchIndex implements SearchIndex {
  // CROSS JOIN holds SQLite to this order: the index, newest first, then one message and one session for each match.
  readonly from = "message_terms CROSS JOIN messages m ON m.id = message_terms.rowid";
  readonly idColumn = "message_terms.rowid";
  readonly condition = "message_terms MATCH ?";
  readonly #db: Db;

  constructor(db: Db) {
    this.#db = db;
  }

  /** One writer at a time: what is there is committed, in the order of its ids. */
  async settledThrough(): Promise<number> {
    return Number((await this.#db.get("SELECT max(id) AS id FROM messages"))?.id ?? 0);
  }

  async put(tx: Queries, messages: readonly IndexedMessage[]): Promise<void> {
    for (const { id, terms } of messages) {
      await tx.run("INSERT OR REPLACE INTO message_terms (rowid, terms) VALUES (?, ?)", id, terms.join(" "));
    }
  }

  async tidy(): Promise<void> {
    await this.#db.run(`INSERT INTO message_terms (message_terms, rank) VALUES ('merge', ${MERGED_PAGES})`);
  }

  async forget(tx: Queries, sessionId: SessionId): Promise<void> {
    await tx.run(
      `DELETE FROM message_terms WHERE rowid IN (
         SELECT id FROM messages WHERE session_id = ? AND id <= (SELECT indexed_through FROM search_watermark))`,
      sessionId,
    );
  }

  async forgetMessages(tx: Queries, ids: readonly number[]): Promise<void> {
    await tx.run(
      `DELETE FROM message_terms WHERE rowid IN (SELECT id FROM messages
         WHERE id IN (${ids.map(() => "?").join(", ")}) AND id <= (SELECT indexed_through FROM search_watermark))`,
      ...ids,
    );
  }

  match(phrases: readonly Phrase[], anyOf: readonly (readonly string[])[]): string {
    const words = phrases.map(({ terms, prefix }) => `"${terms.join(" ")}"${prefix ? " *" : ""}`);
    const groups = anyOf.map((terms) => `(${terms.map((term) => `"${term}"`).join(" OR ")})`);
    return [...groups, ...words].join(" AND ");
  }
}
