/**
 * A lock that only one process of many holds, as long as it lives. It is a file that is created completely, only if there
 * is none, and names its process. If a process can't be seen from here, because it is in another container or on another
 * machine, signs of life in the file count. If its holder has ended, another process may take the lock over: the right to
 * do so is a lock too, named after the ended holder, so only one of many gets it. If that one ends on the way, its right
 * is taken over in the same way.
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

export type FileLock =
  | {
      readonly kind: "taken";
      /** Gives signs of life until the lock is released; calls back if another process has taken it. */
      readonly keep: (onLost: () => void) => void;
      readonly release: () => void;
    }
  | { readonly kind: "held"; readonly holder: LockHolder };

/** The file is there, and says nothing that can be understood. */
export class UnreadableLock extends Error {
  readonly path: string;

  constructor(path: string, cause?: unknown) {
    super(`The lock ${path} can't be read.`, { cause });
    this.path = path;
  }
}

/** Takes the lock for this process, or says who has it. Its folder must exist. */
export function takeLock(path: string, now: number): FileLock {
  const me = {
    process: processHolder(),
    pid: process.pid,
    host: hostname(),
    since: new Date(now).toISOString(),
  };
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

/** Who has the lock; null if nobody does. */
export function lockHolder(path: string, now: number): LockHolder | null {
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
    if (["ENOENT", "ENOTDIR"].includes(codeOf(error) ?? "")) return null; // The latter: its folder is a file.
    throw new UnreadableLock(path, error);
  }
  try {
    const { owner, pid, host, since } = JSON.parse(text) as Record<string, unknown>;
    if (typeof owner === "string" && typeof pid === "number") {
      return { process: owner, pid, host: String(host), since: String(since) };
    }
  } catch (error) {
    throw new UnreadableLock(path, error);
  }
  throw new UnreadableLock(path);
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}
