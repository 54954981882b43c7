/** Opens a store by its URL and gives the `Sessions` over it. */
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { SessionId } from "./session/ids.js";
import "./adapter/platforms.js";
import type { GatewayStore } from "./gateway/store.js";
import { HOLDS_SESSION_MS } from "./process/store.js";
import { InputError } from "./session/errors.js";
import { Sessions, type SessionsOptions } from "./session/sessions.js";
import type { SessionStore } from "./session/store.js";
import type { Db } from "./store/db.js";
import type { JsonlMirror } from "./store/jsonl/mirror.js";
import type { SqliteOptions } from "./store/sqlite/db.js";
import type { OnProblem } from "./util/problem.js";
import type { Hide } from "./util/redact.js";

export interface OpenOptions extends SessionsOptions {
  /** A file path, `sqlite:<path>`, `sqlite::memory:`, or `postgres://…`. */
  readonly url: string;
  /** Keeps a readable copy of each session that changes, as JSON lines in this folder. */
  readonly mirror?: {
    readonly folder: string;
    /** Told once of each distinct problem; a process warning where absent. Must not throw. */
    readonly onProblem?: OnProblem;
  };
  /** Takes out of every text what must neither be kept nor come out. */
  readonly hide?: Hide;
  /** There was a SQLite store here before, as this file says: one that is gone or empty is refused, not begun anew. */
  readonly rememberedIn?: string;
  /** Only look: nothing is created, changed or brought up to date. A store of an older Baton is refused. */
  readonly readOnly?: boolean;
}

export interface StoreWithSessions {
  readonly store: SessionStore & GatewayStore;
  readonly sessions: Sessions;
}

export async function openSessions(options: OpenOptions): Promise<Sessions> {
  return (await openStore(options)).sessions;
}

/** The sessions and the store they are in, for whoever keeps more there. Closing the sessions closes it. */
export async function openStore(options: OpenOptions): Promise<StoreWithSessions> {
  const { url, mirror: mirrored, config, clock, hasActiveProcesses, onChange, hide } = options;
  const mirror = mirrored && (await openMirror(mirrored));
  const opened = await openDb(url, options);
  // Loaded now: a program that imports the library may never open a store.
  const { openSqlStore, readSqlStore } = await import("./store/sql-store.js");
  const db = hide ? (await import("./store/hiding-db.js")).hidingDb(opened, hide) : opened;
  const time = clock ?? Date.now;
  const now = time();
  const store = options.readOnly
    ? ((await readSqlStore(db)) ?? (await openSqlStore(await openDb(NOTHING), now)))
    : await openSqlStore(db, now);
  const close = async (): Promise<void> => {
    await mirror?.close();
    await store.close();
  };
  const changed = (sessionId: SessionId): void => {
    mirror?.changed(sessionId);
    onChange?.(sessionId);
  };
  try {
    const given = { ...(config ? { config } : {}), ...(clock ? { clock } : {}) };
    const sessions = new Sessions(
      { ...store, close },
      {
        ...given,
        hasActiveProcesses: async (key) =>
          (await hasActiveProcesses?.(key)) || store.processes.holds(key, time() - HOLDS_SESSION_MS),
        onChange: changed,
      },
    );
    mirror?.watch(sessions);
    return { store, sessions };
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** What one sees of a store that nobody has written yet. */
const NOTHING = ":memory:";

async function openMirror(options: NonNullable<OpenOptions["mirror"]>): Promise<JsonlMirror> {
  const { JsonlMirror } = await import("./store/jsonl/mirror.js");
  const { folder, onProblem = (problem) => process.emitWarning(problem) } = options;
  return new JsonlMirror({ folder: resolve(folder), onProblem });
}

/** The engine behind a URL; each driver is loaded only when it is needed. */
export async function openDb(url: string, options: SqliteOptions = {}): Promise<Db> {
  if (typeof url !== "string" || url === "") {
    throw new InputError(
      "invalid_config",
      "openSessions needs a url: a file path, sqlite:<path>, sqlite::memory: or postgres://…",
    );
  }
  const file = sqliteFile(url);
  if (file === null) return (await import("./store/postgres/db.js")).openPostgres(url, options);
  return (await import("./store/sqlite/db.js")).openSqlite(file, options);
}

/** The file (or `:memory:`) behind a URL; null for PostgreSQL. */
export function sqliteFile(url: string): string | null {
  if (/^postgres(ql)?:\/\//.test(url)) return null;
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
