/** The store over SQL: sessions, transcripts, handoffs and search, each in its own file, behind one port. */
import type { GatewayStore } from "../gateway/store.js";
import type { SessionStore } from "../session/store.js";
import type { Db } from "./db.js";
import { checkReadable, migrate, schemaVersion } from "./migrations/index.js";
import { postgresScrubber } from "./postgres/scrub.js";
import { PostgresSearchIndex } from "./postgres/search-index.js";
import { SearchFeed } from "./search/feed.js";
import { SqlSearch } from "./search/search.js";
import { SqlErasure } from "./sql/erasure.js";
import { gatewayTables } from "./sql/gateway-tables.js";
import { SqlHandoffs } from "./sql/handoffs.js";
import { SqlProcesses } from "./sql/processes.js";
import { SqlReader } from "./sql/reader.js";
import { SqlRoutes } from "./sql/routes.js";
import { SqlTerminals } from "./sql/terminals.js";
import { SqlTranscript } from "./sql/transcript.js";
import { SqlTurns } from "./sql/turns.js";
import { sqliteScrubber } from "./sqlite/scrub.js";
import { SqliteSearchIndex } from "./sqlite/search-index.js";

/** Brings the schema up to date and opens the store over this database, which it then owns. */
export async function openSqlStore(db: Db, now: number): Promise<SessionStore & GatewayStore> {
  try {
    await migrate(db, now);
  } catch (error) {
    await db.close();
    throw error;
  }
  return storeOver(db);
}

/** The same without any writing. Null if there is nothing in this database yet; then it is closed. */
export async function readSqlStore(db: Db): Promise<(SessionStore & GatewayStore) | null> {
  try {
    const version = await schemaVersion(db);
    checkReadable(version);
    if (version > 0) return storeOver(db); // Its search feed can change nothing, and the search reads what is not indexed.
  } catch (error) {
    await db.close();
    throw error;
  }
  await db.close();
  return null;
}

function storeOver(db: Db): SessionStore & GatewayStore {
  const isSqlite = db.dialect.name === "sqlite";
  const index = isSqlite ? new SqliteSearchIndex(db) : new PostgresSearchIndex(db);
  const feed = new SearchFeed(db, index);
  const routes = new SqlRoutes(db, index);
  const processes = new SqlProcesses(db);
  return {
    routes,
    reader: new SqlReader(db),
    transcript: new SqlTranscript(db),
    search: new SqlSearch(db, index, feed),
    handoffs: new SqlHandoffs(db),
    erasure: new SqlErasure(db, index, isSqlite ? sqliteScrubber : postgresScrubber),
    ...gatewayTables(db),
    terminals: new SqlTerminals(db, index),
    turns: new SqlTurns(db, routes),
    changes: (onChange) =>
      db.subscribe((fact) => {
        if (fact.kind === "session") onChange(fact.sessionId);
      }),
    subscribe: (subscriber) => {
      const ends = [db.subscribe(subscriber), db.watch(subscriber)];
      return () => {
        for (const end of ends) end();
      };
    },
    processes,
    reports: processes.reports,
    close: async () => {
      await feed.stop();
      await db.close();
    },
  };
}
