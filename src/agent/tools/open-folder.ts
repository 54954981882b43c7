/**
 * A folder that is held open: it stays the same one if its name changes, and its entries are reached relative to it,
 * never through a link. On Linux, names relative to a descriptor are `/proc/self/fd/<n>/<name>`. Elsewhere they are
 * paths that are checked again after each step: that leaves a moment in which another process could swap a folder.
 */
import { randomBytes } from "node:crypto";
import { type BigIntStats, constants } from "node:fs";
import {
  type FileHandle,
  lstat,
  mkdir,
  open,
  opendir,
  readlink,
  realpath,
  rename,
  unlink,
} from "node:fs/promises";
import { join } from "node:path";
import { kindOf } from "../../util/file-problem.js";
import { Refused } from "./refused.js";

/** A file that was opened for reading; the caller closes the handle. */
export interface OpenFile {
  readonly path: string;
  readonly handle: FileHandle;
  readonly stats: BigIntStats;
}

/** Linux: a descriptor that only names a folder, which need not be readable. */
const O_PATH = 0o10000000;

export class OpenFolder {
  /** Where it was when it was opened, with links resolved. */
  readonly path: string;
  readonly #handle: FileHandle;
  readonly #own: ReadonlySet<string>;
  readonly #byDescriptor: boolean;

  private constructor(path: string, handle: FileHandle, own: ReadonlySet<string>, byDescriptor: boolean) {
    this.path = path;
    this.#handle = handle;
    this.#own = own;
    this.#byDescriptor = byDescriptor;
  }

  /** `path` must contain no links. */
  static async at(path: string, own: ReadonlySet<string>, byDescriptor: boolean): Promise<OpenFolder> {
    return attempt(path, async () => {
      const handle = await open(path, folderFlags(byDescriptor));
      const folder = new OpenFolder(path, handle, own, byDescriptor);
      try {
        folder.#refuseOwn(await handle.stat({ bigint: true }), path);
        await folder.#checkPlace();
        return folder;
      } catch (error) {
        await folder.close();
        throw error;
      }
    });
  }

  /** The path by which another process reaches this very folder while it is open; outside Linux, its name. */
  get way(): string {
    return this.#byDescriptor ? `/proc/${process.pid}/fd/${this.#handle.fd}` : this.path;
  }

  /** What it is, whatever its name. */
  async identity(): Promise<string> {
    return identity(await this.#handle.stat({ bigint: true }));
  }

  /** What a name is; null if it does not exist. */
  async look(name: string): Promise<BigIntStats | null> {
    const path = join(this.path, name);
    const stats = await attempt(path, () =>
      lstat(this.#at(name), { bigint: true }).catch((error: NodeJS.ErrnoException) => {
        if (error.code === "ENOENT") return null;
        throw error;
      }),
    );
    if (stats) this.#refuseOwn(stats, path);
    return stats;
  }

  async linkTarget(name: string): Promise<string> {
    return attempt(join(this.path, name), () => readlink(this.#at(name)));
  }

  /** The names in it, unsorted, at most this many; `more` if there are others. */
  async names(most: number): Promise<{ names: string[]; more: boolean }> {
    return attempt(this.path, async () => {
      const names: string[] = [];
      for await (const entry of await opendir(this.#byDescriptor ? this.#at(".") : this.path)) {
        if (names.length === most) return { names, more: true };
        names.push(entry.name);
      }
      await this.#checkPlace();
      return { names, more: false };
    });
  }

  async openFile(name: string): Promise<OpenFile> {
    const path = join(this.path, name);
    // O_NONBLOCK: if it has just become a pipe, nobody waits for its other end.
    const flags = constants.O_RDONLY | constants.O_NONBLOCK;
    return { path, ...(await this.#open(name, flags, (stats) => checkFile(path, stats))) };
  }

  async openFolder(name: string): Promise<OpenFolder> {
    const path = join(this.path, name);
    const { handle } = await this.#open(name, folderFlags(this.#byDescriptor), (stats) => {
      if (!stats.isDirectory()) throw new Refused(`${path} is not a folder but ${kindOf(stats)}.`);
    });
    return new OpenFolder(path, handle, this.#own, this.#byDescriptor);
  }

  async makeFolder(name: string): Promise<void> {
    await attempt(join(this.path, name), () =>
      mkdir(this.#at(name)).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== "EEXIST") throw error;
      }),
    );
  }

  /** A new file takes the name. A link that took it in the meantime is replaced, not followed. */
  async replace(
    name: string,
    content: Uint8Array,
    before: BigIntStats | null,
    seen: BigIntStats | undefined,
  ): Promise<void> {
    const path = join(this.path, name);
    const fresh = this.#at(`.baton-${randomBytes(8).toString("hex")}.tmp`);
    const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
    await attempt(path, async () => {
      await this.#checkPlace();
      const handle = await open(fresh, flags, before ? 0o600 : 0o666);
      try {
        try {
          await handle.writeFile(content);
          if (before) await handle.chmod(Number(before.mode & 0o777n));
          await handle.sync();
        } finally {
          await handle.close();
        }
        if (seen && !unchanged(seen, await this.look(name))) throw changed(path);
        await this.#checkPlace();
        await rename(fresh, this.#at(name));
      } catch (error) {
        await unlink(fresh).catch(() => {}); // The first error is the one to report.
        throw error;
      }
    });
  }

  async close(): Promise<void> {
    await this.#handle.close();
  }

  /** Opens exactly the file that was checked. */
  async #open(
    name: string,
    flags: number,
    check: (stats: BigIntStats) => void,
  ): Promise<{ handle: FileHandle; stats: BigIntStats }> {
    const path = join(this.path, name);
    return attempt(path, async () => {
      const before = await this.look(name);
      if (!before) throw new Refused(`there is no ${path}.`);
      check(before);
      const handle = await open(this.#at(name), flags | constants.O_NOFOLLOW | constants.O_NOCTTY);
      try {
        const stats = await handle.stat({ bigint: true });
        if (identity(before) !== identity(stats)) throw changed(path);
        await this.#checkPlace();
        return { handle, stats };
      } catch (error) {
        await handle.close();
        throw error;
      }
    });
  }

  #at(name: string): string {
    return this.#byDescriptor ? `/proc/self/fd/${this.#handle.fd}/${name}` : join(this.path, name);
  }

  #refuseOwn(stats: BigIntStats, path: string): void {
    if (this.#own.has(identity(stats)))
      throw new Refused(`${path} belongs to Baton, and tools may not use it.`);
  }

  /** Checks that it is still where it was: not moved, and not reached through a link in place of a folder. */
  async #checkPlace(): Promise<void> {
    const now = this.#byDescriptor
      ? await readlink(`/proc/self/fd/${this.#handle.fd}`)
      : await this.#pathNow();
    if (now !== this.path) throw changed(this.path);
  }

  async #pathNow(): Promise<string> {
    const [path, there, here] = await Promise.all([
      realpath(this.path),
      lstat(this.path, { bigint: true }),
      this.#handle.stat({ bigint: true }),
    ]);
    return identity(there) === identity(here) ? path : "";
  }
}

function folderFlags(byDescriptor: boolean): number {
  const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants;
  return (byDescriptor ? O_PATH : O_RDONLY) | O_DIRECTORY | O_NOFOLLOW;
}

export function identity(stats: BigIntStats): string {
  return `${stats.dev}:${stats.ino}`;
}

function unchanged(seen: BigIntStats, now: BigIntStats | null): boolean {
  return (
    now !== null && identity(seen) === identity(now) && seen.mtimeNs === now.mtimeNs && seen.size === now.size
  );
}

export function checkFile(path: string, stats: BigIntStats): void {
  if (!stats.isFile()) throw new Refused(`${path} is not a file but ${kindOf(stats)}.`);
}

function changed(path: string): Refused {
  return new Refused(`${path} has just changed. Look at it again.`);
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: "it does not exist",
  ENOTDIR: "a part of its path is not a folder",
  EISDIR: "it is a folder",
  ELOOP: "it has just become a link",
  EACCES: "the system does not allow it",
  EPERM: "the system does not allow it",
  EROFS: "it is on a read-only disk",
  ENAMETOOLONG: "its name is too long",
  ENOSPC: "the disk is full",
  EDQUOT: "the quota is used up",
};

/** Turns an error of the system into words, with the path that was meant. */
export async function attempt<T>(path: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (error instanceof Refused || typeof code !== "string") throw error;
    throw new Refused(`can't use ${path}: ${REASONS[code] ?? code}.`);
  }
}
