/** Harm to the files of a PostgreSQL server, to be done while it is down. */
import { chownSync, copyFileSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Db } from "../../src/store/db.js";

const PAGE = 8_192;

/** The files of a table of Baton, or of its indexes. */
export async function filesOf(db: Db, table: string, which: "table" | "indexes"): Promise<string[]> {
  const folder = String((await db.get("SHOW data_directory"))?.data_directory);
  const rows = await db.all(
    which === "table"
      ? `SELECT pg_relation_filepath('${table}') AS path`
      : `SELECT pg_relation_filepath(indexrelid) AS path FROM pg_index WHERE indrelid = '${table}'::regclass`,
  );
  return rows.map(({ path }) => join(folder, String(path)));
}

/** Keeps a copy, `.whole`, which is the server's as well. */
export function keep(file: string): void {
  const { uid, gid } = statSync(file);
  copyFileSync(file, `${file}.whole`);
  chownSync(`${file}.whole`, uid, gid);
}

/** Fills its first page with a byte. */
export function fillPage(file: string, byte: number): void {
  writeFileSync(file, readFileSync(file).fill(byte, 0, PAGE));
}
