/** Opens a store by its URL and gives the `Sessions` over it. */
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { InputError } from "./session/errors.js";
import { Sessions, type SessionsOptions } from "./session/sessions.js";
import type { Db } from "./store/db.js";
import { openSqlStore } from "./store/sql-store.js";

export interface OpenOptions extends SessionsOptions {
  /** A file path, `sqlite:<path>`, `sqlite::memory:`, or `postgres://…`. */
  readonly url: string;
}

export async function openSessions(options: OpenOptions): Promise<Sessions> {
  const { url, ...rest } = options;
  const store = await openSqlStore(await openDb(url), (options.clock ?? Date.now)());
  try {
    return new Sessions(store, rest);
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** The engine behind a URL; each driver is loaded only when it is needed. */
export async function openDb(url: string): Promise<Db> {
  if (typeof url !== "string" || url === "") {
    throw new InputError(
      "invalid_config",
      "openSessions needs a url: a file path, sqlite:<path>, sqlite::memory: or postgres://…",
    );
  }
  if (/^postgres(ql)?:\/\//.test(url)) return (await import("./store/postgres/db.js")).openPostgres(url);
  return (await import("./store/sqlite/db.js")).openSqlite(sqlitePath(url));
}

function sqlitePath(url: string): string {
  if (url === ":memory:" || url === "sqlite::memory:") return ":memory:";
  if (url.startsWith("file:")) return fileURLToPath(url);
  const path = url.startsWith("sqlite:") ? url.slice("sqlite:".length).replace(/^\/\/(?=\/)/, "") : url;
  if (/^[a-z][a-z0-9+.-]+:\/\//i.test(path)) {
    const scheme = path.slice(0, path.indexOf(":"));
    throw new InputError(
      "invalid_config",
      `Baton has no store for "${scheme}:" URLs: use a file path, sqlite:<path> or postgres://…`,
    );
  }
  return resolve(path);
}
