/** Writes the tables of PostgreSQL anew, so that their files no longer hold what was deleted. Its log is the server's own. */
import type { Scrubbed } from "../../gateway/erasure.js";
import type { Db, Scrubber } from "../db.js";

const TABLES = "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'baton' ORDER BY tablename";

export const postgresScrubber: Scrubber = { prepare: async () => {}, scrub: scrubPostgres };

async function scrubPostgres(db: Db): Promise<Scrubbed> {
  const problems: string[] = [];
  for (const row of await db.all(TABLES)) {
    const name = String(row.name);
    await db.maintain(`VACUUM (FULL, ANALYZE) ${name}`).catch((error: Error) => {
      problems.push(
        `The table ${name} can't be written anew: ${error.message} Stop the gateway, then run this command again.`,
      );
    });
  }
  return { problems };
}
