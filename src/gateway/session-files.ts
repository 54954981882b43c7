/**
 * The files that people sent in a conversation, as a folder that its agent's file tools may read. The media store names
 * files for itself; here they have names that people know. The folder is made when a tool first asks for it, and is only
 * a copy: what nobody has used for a day is removed, and made again when it is needed.
 */
import { createHash } from "node:crypto";
import { constants, existsSync } from "node:fs";
import { copyFile, readdir, rename, rm, stat, utimes } from "node:fs/promises";
import { join } from "node:path";
import type { GivenFiles } from "../agent/agent.js";
import { sessionFileName } from "../session/attachments.js";
import type { SessionId } from "../session/ids.js";
import type { Attachment } from "../session/transcript.js";
import type { Clock } from "../util/clock.js";
import { makeFolder } from "../util/make-folder.js";

const UNUSED_MS = 24 * 60 * 60 * 1_000;

export class SessionFiles {
  readonly #folder: string;
  readonly #pathOf: (file: string) => string | null;
  readonly #clock: Clock;

  /** `pathOf`: where a file of the media store is. */
  constructor(folder: string, pathOf: (file: string) => string | null, clock: Clock) {
    this.#folder = folder;
    this.#pathOf = pathOf;
    this.#clock = clock;
  }

  folderOf(sessionId: SessionId): string {
    return join(this.#folder, createHash("sha256").update(sessionId).digest("hex").slice(0, 16));
  }

  /** For the tools of one turn. `attachments` are asked for when a tool needs the folder. */
  given(sessionId: SessionId, attachments: () => Promise<readonly Attachment[]>): GivenFiles {
    const folder = this.folderOf(sessionId);
    return { folder, fill: async () => this.#fill(folder, await attachments()) };
  }

  async #fill(folder: string, attachments: readonly Attachment[]): Promise<void> {
    if (!existsSync(folder)) await this.#sweep();
    makeFolder(folder);
    const now = this.#clock() / 1_000;
    await utimes(folder, now, now);
    const there = new Set(await readdir(folder));
    for (const attachment of attachments) {
      const name = sessionFileName(attachment);
      const from = there.has(name) ? null : this.#pathOf(attachment.file);
      if (from === null) continue;
      there.add(name);
      await copyWhole(from, join(folder, name));
    }
  }

  /** Removes what nobody used for a day. */
  async #sweep(): Promise<void> {
    for (const name of await readdir(this.#folder).catch(() => [])) {
      const path = join(this.#folder, name);
      const used = (await stat(path).catch(() => null))?.mtimeMs ?? Number.POSITIVE_INFINITY;
      if (used < this.#clock() - UNUSED_MS) await rm(path, { recursive: true, force: true });
    }
  }

  /** Removes all copies: they are made again when a tool needs them. */
  async forget(): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true });
  }
}

/** A copy is there as a whole or not at all. A file that is gone has none. */
async function copyWhole(from: string, to: string): Promise<void> {
  const beside = `${to}.part`;
  try {
    await copyFile(from, beside, constants.COPYFILE_FICLONE);
    await rename(beside, to);
  } catch (error) {
    await rm(beside, { force: true });
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
}
