/** The store over SQL: sessions, transcripts, handoffs and search, each in its own file, behind one port. */
import type { SessionStore } from "../session/store.js";
import type { Db } from "./db.js";
import { migrate } from "./migrations/index.js";
import { PostgresSearchIndex } from "./postgres/search-index.js";
import { SearchFeed } from "./search/feed.js";
import { SqlSearch } from "./search/search.js";
import { SqlHandoffs } from "./sql/handoffs.js";
import { SqlReader } from "./sql/reader.js";
import { SqlRoutes } from "./sql/routes.js";
import { SqlTranscript } from "./sql/transcript.js";
import { SqliteSearchIndex } from "./sqlite/search-index.js";

/** Brings the schema up to date and opens the store over this database, which it then owns. */
export async function openSqlStore(db: Db, now: number): Promise<SessionStore> {
  try {
    await migrate(db, now);
  } catch (error) {
    await db.close();
    throw error;
  }
  const index = db.dialect.name === "sqlite" ? new SqliteSearchIndex(db) : new PostgresSearchIndex(db);
  const feed = new SearchFeed(db, index);
  feed.poke();
  return {
    routes: new SqlRoutes(db, index, feed),
    reader: new SqlReader(db),
    transcript: new SqlTranscript(db, feed),
    search: new SqlSearch(db, index, feed),
    handoffs: new SqlHandoffs(db),
    close: async () => {
      await feed.stop();
      await db.close();
    },
  };
}
