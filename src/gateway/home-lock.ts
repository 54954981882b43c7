/**
 * One gateway for each home folder. The lock is a file that is created completely, only if there is none, and names its
 * process. The process holds it as long as it lives. If a process can't be seen from here, because it is in another
 * container or on another machine, signs of life in the file count. If its holder has ended, another process may take
 * the lock over: the right to do so is a lock too, named after the ended holder, so only one of many gets it. If that
 * one ends on the way, its right is taken over in the same way.
 */
import { createHash, randomUUID } from "node:crypto";
import {
  closeSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { BatonError } from "../session/errors.js";
import { fileProblem } from "../util/file-problem.js";
import { makeFolder } from "../util/make-folder.js";
import { processHolder } from "./holder.js";
import { giveSigns, isStillOf } from "./life-sign.js";

export interface LockHolder {
  /** The process, as holder.ts names it. */
  readonly process: string;
  readonly pid: number;
  readonly host: string;
  /** ISO 8601, UTC. */
  readonly since: string;
}

export type HomeLock =
  | {
      readonly kind: "taken";
      /** Gives signs of life until the lock is released; calls back if another process has taken the home folder. */
      readonly keep: (onLost: () => void) => void;
      readonly release: () => void;
    }
  | { readonly kind: "held"; readonly holder: LockHolder };

export function homeLockFile(home: string): string {
  return join(home, "gateway.lock");
}

/** Takes the home folder for this process, or says who has it. */
export function takeHome(home: string, now: number): HomeLock {
  try {
    return take(home, now);
  } catch (error) {
    const problem = fileProblem(error);
    if (problem === null) throw error;
    throw new BatonError("home_unusable", `Baton can't write to its home folder ${home}: ${problem}.`, {
      cause: error,
    });
  }
}

function take(home: string, now: number): HomeLock {
  makeFolder(home);
  const me = {
    process: processHolder(),
    pid: process.pid,
    host: hostname(),
    since: new Date(now).toISOString(),
  };
  const path = homeLockFile(home);
  const holder = claim(path, me, now);
  if (holder) return { kind: "held", holder };
  let end = (): void => {};
  return {
    kind: "taken",
    keep: (onLost) => {
      end = giveSigns(path, () => readHolder(path)?.process === me.process, onLost);
    },
    release: () => {
      end();
      release(path, me);
    },
  };
}

/** The gateway of this home folder; null if none runs. */
export function homeHolder(home: string, now: number): LockHolder | null {
  const path = homeLockFile(home);
  const holder = readHolder(path);
  return holder && isStillOf(path, holder.process, now) ? holder : null;
}

/** The lock that gives the right to take over from this holder, who has ended. */
export function successionFile(path: string, holder: LockHolder): string {
  return `${path}.${createHash("sha256").update(holder.process).digest("hex").slice(0, 16)}`;
}

/** Null if the lock is now ours, else its holder. */
function claim(path: string, me: LockHolder, now: number): LockHolder | null {
  for (;;) {
    if (createWhole(path, me)) return null;
    const holder = readHolder(path);
    if (!holder) continue; // Released in between.
    if (isStillOf(path, holder.process, now)) return holder;
    const succession = successionFile(path, holder);
    const successor = claim(succession, me, now);
    if (successor) return successor;
    try {
      // A process that had this right before us may have used it. While it is ours, nobody else takes this holder's
      // lock.
      if (readHolder(path)?.process !== holder.process) continue;
      renameSync(writeBeside(path, me), path);
      return null;
    } finally {
      release(succession, me);
    }
  }
}

/** False if there is such a file already. */
function createWhole(path: string, me: LockHolder): boolean {
  const written = writeBeside(path, me);
  try {
    linkSync(written, path);
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  } finally {
    unlinkSync(written);
  }
}

function writeBeside(path: string, me: LockHolder): string {
  const beside = `${path}.${randomUUID()}.tmp`;
  const file = openSync(beside, "wx", 0o600);
  try {
    writeSync(file, lockText(me));
    fsyncSync(file); // A power failure must not leave an empty lock behind.
  } catch (error) {
    rmSync(beside, { force: true });
    throw error;
  } finally {
    closeSync(file);
  }
  return beside;
}

/** In the file the process is called `owner`. */
export function lockText({ process: holder, ...rest }: LockHolder): string {
  return `${JSON.stringify({ owner: holder, ...rest })}\n`;
}

/** Releases only what is ours: somebody may have deleted the file by hand. */
function release(path: string, me: LockHolder): void {
  if (readHolder(path)?.process === me.process) rmSync(path, { force: true });
}

function readHolder(path: string): LockHolder | null {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes(codeOf(error) ?? "")) return null; // The latter: the home is not a folder.
    throw unreadable(path, error);
  }
  try {
    const { owner, pid, host, since } = JSON.parse(text) as Record<string, unknown>;
    if (typeof owner === "string" && typeof pid === "number") {
      return { process: owner, pid, host: String(host), since: String(since) };
    }
  } catch (error) {
    throw unreadable(path, error);
  }
  throw unreadable(path);
}

function unreadable(path: string, cause?: unknown): BatonError {
  const message = `Baton can't read the gateway's lock ${path}. If no gateway is running here, delete it.`;
  return new BatonError("lock_unreadable", message, { cause });
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}
