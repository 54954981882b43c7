/**
 * The files of a session's messages, copied into a folder beside its archive: `12-1.png` is the first file of its 12th message.
 * Names that senders gave are not used. The folder gets its name after every copy was made durable and compared.
 */
import { createHash } from "node:crypto";
import { constants, createReadStream, existsSync } from "node:fs";
import { copyFile, lstat, open, readdir, rename, rm } from "node:fs/promises";
import { extname, join } from "node:path";
import { attachmentsOf } from "../../session/attachments.js";
import { StoreError } from "../../session/errors.js";
import type { SessionEntry } from "../../session/session.js";
import type { Sessions } from "../../session/sessions.js";
import { makeFolder } from "../../util/make-folder.js";

/** Where the files are that belong to an archived session. */
export function filesBeside(file: string): string {
  return file.replace(/\.jsonl$/, ".files");
}

export class ArchivedFiles {
  readonly #part: string;
  /** Name by hash of what was copied. */
  readonly #copied = new Map<string, string>();
  /** The name that the folder got just now. */
  #named: string | null = null;

  constructor(part: string) {
    this.#part = part;
  }

  /** A file that is not here can't be copied: it was deleted by hand, or is on another machine that uses this store. */
  async copy(
    sessions: Sessions,
    { sessionId }: SessionEntry,
    pathOf: (file: string) => string | null,
  ): Promise<void> {
    let message = 0;
    for await (const page of sessions.pages(sessionId))
      for (const each of page) {
        message += 1;
        for (const [n, { file }] of attachmentsOf(each).entries()) {
          const path = pathOf(file);
          if (path !== null && (await isFile(path)))
            await this.#copyOne(path, `${message}-${n + 1}${extname(file)}`);
        }
      }
    if (this.#copied.size > 0) await syncFolder(this.#part);
  }

  async #copyOne(path: string, name: string): Promise<void> {
    makeFolder(this.#part);
    const to = join(this.#part, name);
    await copyFile(path, to, constants.COPYFILE_EXCL);
    const copy = await open(to, "r+");
    try {
      await copy.chmod(0o600);
      await copy.sync();
    } finally {
      await copy.close();
    }
    const hash = await hashOf(to);
    if (hash !== (await hashOf(path)))
      throw new StoreError(
        "archive_failed",
        `The copy of ${path} in the archive is not what was written, so its session was not removed. Check the disk, then try again.`,
      );
    this.#copied.set(name, hash);
  }

  /** Gives the folder this name, unless one with the same files has it. False if it has others. */
  async name(folder: string): Promise<boolean> {
    if (this.#copied.size === 0) return true;
    if (existsSync(folder)) return this.#isSame(folder);
    try {
      await rename(this.#part, folder);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== "ENOTEMPTY" && code !== "EEXIST") throw error;
      return this.#isSame(folder); // Another process was faster.
    }
    this.#named = folder;
    return true;
  }

  /** The name is needed for another session file. */
  async takeBack(): Promise<void> {
    if (this.#named === null) return;
    await rename(this.#named, this.#part);
    this.#named = null;
  }

  /** Removes it again, if it was made just now. */
  async discard(): Promise<void> {
    if (this.#named !== null) await rm(this.#named, { recursive: true, force: true });
  }

  async cleanUp(): Promise<void> {
    await rm(this.#part, { recursive: true, force: true });
  }

  async #isSame(folder: string): Promise<boolean> {
    const names = await readdir(folder);
    if (names.length !== this.#copied.size) return false;
    for (const [name, hash] of this.#copied)
      if (!names.includes(name) || (await hashOf(join(folder, name))) !== hash) return false;
    return true;
  }
}

/** So that the names in it survive a power cut. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function isFile(path: string): Promise<boolean> {
  try {
    return (await lstat(path)).isFile();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw error;
  }
}

async function hashOf(file: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) hash.update(chunk);
  return hash.digest("hex");
}
