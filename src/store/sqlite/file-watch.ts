/**
 * Whether the file of a database is still the one that was opened. A file that is deleted or replaced stays open here,
 * and SQLite goes on writing into what nobody will find again. Only asked by `stat`: see db.ts on opening it.
 */
import { statSync } from "node:fs";
import { StoreError } from "../../session/errors.js";

export class FileWatch {
  readonly #path: string;
  readonly #opened: string | null;
  /** The file that holds the last commits; it is there from the first one on. */
  #log: string | null = null;

  constructor(path: string) {
    this.#path = path;
    this.#opened = path === ":memory:" ? null : identityOf(path);
  }

  /** To be called before and after a commit: fails where what is committed is in no file that has a name. */
  check(): void {
    if (this.#opened === null) return;
    if (identityOf(this.#path) !== this.#opened) throw gone(this.#path);
    const log = identityOf(`${this.#path}-wal`);
    this.#log ??= log;
    if (log !== this.#log) throw logGone(this.#path);
  }
}

/** Device and number of a file; null where there is none. */
function identityOf(path: string): string | null {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found ? `${found.dev}:${found.ino}` : null;
}

function gone(path: string): StoreError {
  return new StoreError(
    "store_gone",
    `${path} was deleted or replaced while Baton was running, so nothing can be saved. Put it back, or stop Baton and restore a backup with \`baton restore\`.`,
  );
}

function logGone(path: string): StoreError {
  return new StoreError(
    "store_gone",
    `${path}-wal was deleted or replaced while Baton was running, so nothing can be saved. Stop Baton, which saves what it has to ${path}, and start it again.`,
  );
}
