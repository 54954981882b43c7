/** What SQLite and the file system say, as errors that say what to do. */
import { existsSync, lstatSync, readlinkSync, statSync } from "node:fs";
import { constants } from "node:os";
import { dirname, resolve } from "node:path";
import { BatonError, type ErrorCode, StoreError } from "../../session/errors.js";
import { fileReason, kindOf } from "../../util/file-problem.js";
import { lockHolderText } from "./lock-holder.js";

const BUSY = 5;
const LOCKED = 6;
const IO_ERROR = 10;
const FULL = 13;
const CANNOT_OPEN = 14;

/** SQLite calls only the first of these full; a quota or a limit on a file's size is no room either. */
const NO_ROOM: readonly unknown[] = [constants.errno.ENOSPC, constants.errno.EDQUOT, constants.errno.EFBIG];

/** SQLite's primary result codes that a person can do something about. */
const BY_RESULT: Readonly<Record<number, readonly [ErrorCode, (path: string) => string]>> = {
  [BUSY]: [
    "store_busy",
    (path) =>
      `${path} was held by another process for too long. ${lockHolderText(path) ?? "Is one stopped or stuck?"} Try again.`,
  ],
  [LOCKED]: ["store_busy", (path) => `${path} was held by another process for too long. Try again.`],
  8: [
    "store_readonly",
    (path) =>
      `${path} cannot be written. Give the user that runs Baton write access to the file and its folder.`,
  ],
  [IO_ERROR]: [
    "store_failed",
    (path) => `Reading or writing ${path} failed. Check the disk; nothing was acknowledged.`,
  ],
  11: [
    "store_corrupt",
    (path) =>
      `${path} is damaged. Stop Baton, keep a copy of the file, and restore a backup; \`baton doctor\` shows the extent.`,
  ],
  [FULL]: [
    "store_full",
    (path) =>
      `There is no room to write ${path}. Free some space; nothing was lost, and Baton goes on as it is.`,
  ],
  [CANNOT_OPEN]: [
    "store_unreachable",
    (path) => `${path} cannot be opened. Check that its folder exists and may be used.`,
  ],
  26: [
    "store_foreign",
    (path) => `${path} is not a SQLite database. Give another path; the file was left as it is.`,
  ],
};

const BY_ERRNO: Readonly<Record<string, readonly [ErrorCode, (path: string) => string]>> = {
  EACCES: [
    "store_readonly",
    (path) => `${path} may not be written by this user. Change its owner or mode, or give another path.`,
  ],
  EROFS: ["store_readonly", (path) => `${path} is on a read-only file system. Give another path.`],
  ENOSPC: ["store_full", (path) => `There is no room to create ${path}. Free some space.`],
  EEXIST: ["store_unreachable", notInFolder],
  ENOTDIR: ["store_unreachable", notInFolder],
};

function notInFolder(path: string): string {
  return `${path} can't be created: its parent is a file, not a folder. Move the file away, or use another path.`;
}

/** Refuses what is no file, before SQLite opens it: a pipe would let it wait forever. */
export function refuseOther(path: string): void {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats?.isFile()) return;
  const message = stats
    ? `${path} is ${kindOf(stats)}, not a file. Move it away, or give another path.`
    : `${path} is a link to a file in a folder that does not exist. Create the folder, or move the link away.`;
  if (stats || leadsNowhere(path)) throw new StoreError("store_unreachable", message);
}

function leadsNowhere(path: string): boolean {
  const target = linkTarget(path);
  return target !== null && !existsSync(dirname(target));
}

/** Where a link leads, one step far; null if there is no link. */
export function linkTarget(path: string): string | null {
  const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
  return isLink ? resolve(dirname(path), readlinkSync(path)) : null;
}

export function isBusy(error: unknown): boolean {
  const result = resultCode(error);
  return result === BUSY || result === LOCKED;
}

/** The error as ours, where it is the engine's or the file system's; any other is returned as it is. */
export function storeErrorOf(error: unknown, path: string): unknown {
  if (error instanceof BatonError) return error;
  const known =
    BY_RESULT[resultCode(error) ?? -1] ?? BY_ERRNO[String((error as NodeJS.ErrnoException)?.code)];
  if (known) return new StoreError(known[0], known[1](path), { cause: error });
  if (!(error instanceof Error) || !("code" in error)) return error;
  return new StoreError("store_failed", `The store at ${path} failed: ${fileReason(error)}.`, {
    cause: error,
  });
}

/** SQLite's own words for these codes: the driver does not put the code on errors that come up between two rows. */
const BY_WORDS: Readonly<Record<string, number>> = {
  "database is locked": BUSY,
  "database table is locked": LOCKED,
  "attempt to write a readonly database": 8,
  "disk I/O error": IO_ERROR,
  "database disk image is malformed": 11,
  "database or disk is full": FULL,
  "unable to open database file": CANNOT_OPEN,
  "file is not a database": 26,
};

/** The primary code of an extended one; an input or output error for want of room counts as full. */
function resultCode(error: unknown): number | undefined {
  const { errcode, systemErrno, message } = (error ?? {}) as Record<string, unknown>;
  if (typeof errcode !== "number") return BY_WORDS[String(message)];
  const primary = errcode & 0xff;
  return primary === IO_ERROR && NO_ROOM.includes(systemErrno) ? FULL : primary;
}
