/** The bare driver with the store's settings, to compare with. */
import { DatabaseSync } from "@photostructure/sqlite";

export type RawDatabase = InstanceType<typeof DatabaseSync>;

export function openRaw(path: string): RawDatabase {
  const database = new DatabaseSync(path, { timeout: 1_000, enableForeignKeyConstraints: true });
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA journal_size_limit = 67108864");
  return database;
}

/** For filling a store quickly: a crash here costs nothing but the benchmark. */
export function openForSeeding(path: string): RawDatabase {
  const database = new DatabaseSync(path);
  database.exec("PRAGMA synchronous = OFF; PRAGMA foreign_keys = OFF; PRAGMA cache_size = -65536");
  return database;
}
