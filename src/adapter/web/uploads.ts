/**
 * What people upload before they say it. A file is known by who uploaded it and by what is in it, so the same one twice is
 * one file, and nobody can refer to another person's. It is on the disk before the browser hears of it, so a message that
 * refers to it can be accepted by the next process. A day later it is gone: the gateway has fetched it long since.
 */
import { createHash, randomBytes } from "node:crypto";
import { open, readdir, readFile, rename, rm, stat, utimes } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "../../util/clock.js";
import { makeFolder } from "../../util/make-folder.js";
import type { RemoteFile } from "../adapter.js";
import type { SaidFile, Uploaded } from "./wire.js";

export interface UploadsSetting {
  readonly folder: string;
  readonly maxFile: number;
  /** What one person may have there at a time, in bytes and in uploads that run. */
  readonly maxEach?: number;
  readonly atOnce?: number;
  /** A smaller file counts as this much: a disk has room for so many, and each new one looks at those before it. */
  readonly least?: number;
  readonly clock: Clock;
}

/** Why a file is not taken, for the person. */
export class UploadRefused extends Error {
  constructor(
    readonly status: 413 | 429,
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

const REF = /^([0-9a-f]{32})-([0-9a-f]{64})$/;
const GONE_AFTER_MS = 24 * 60 * 60 * 1_000;
const MAX_EACH = 500 * 2 ** 20;
const AT_ONCE = 4;
const LEAST = 256 * 1024;

/** The uploads of one person that run now: they share the room that this person has. */
interface Together {
  running: number;
  /** What was there before, in bytes. */
  readonly before: Promise<number>;
  /** What they have written since. */
  written: number;
}

export class Uploads {
  readonly #setting: UploadsSetting;
  readonly #running = new Map<string, Together>();

  constructor(setting: UploadsSetting) {
    this.#setting = setting;
  }

  /** Settles when it is on the disk. */
  async take(identity: string, bytes: AsyncIterable<Uint8Array>): Promise<Uploaded> {
    const { folder, atOnce = AT_ONCE } = this.#setting;
    const owner = ownerOf(identity);
    const own = join(folder, owner);
    makeFolder(own);
    const together = this.#running.get(owner) ?? { running: 0, before: this.#sizeOf(own), written: 0 };
    if (together.running >= atOnce)
      throw new UploadRefused(
        429,
        "too_many_uploads",
        "Several files are being uploaded. Try again in a moment.",
      );
    together.running += 1;
    this.#running.set(owner, together);
    try {
      const { content, size } = await this.#write(own, bytes, together);
      return { ref: `${owner}-${content}`, size };
    } finally {
      together.running -= 1;
      if (together.running === 0) this.#running.delete(owner);
    }
  }

  async #write(own: string, bytes: AsyncIterable<Uint8Array>, together: Together) {
    const { maxFile, maxEach = MAX_EACH } = this.#setting;
    const room = maxEach - (await together.before);
    const part = join(own, `.${randomBytes(12).toString("hex")}.part`);
    const hash = createHash("sha256");
    let size = 0;
    let counted = 0;
    const count = (): void => {
      together.written += this.#countedAs(size) - counted;
      counted = this.#countedAs(size);
      if (together.written <= room) return;
      throw new UploadRefused(429, "uploads_full", "You have uploaded too much today. Try again tomorrow.");
    };
    try {
      count();
      const file = await open(part, "wx", 0o600);
      try {
        for await (const piece of bytes) {
          size += piece.byteLength;
          if (size > maxFile)
            throw new UploadRefused(413, "too_large", `This file is larger than ${maxFile / 2 ** 20} MB.`);
          count();
          hash.update(piece);
          await file.writeFile(piece);
        }
        await file.sync();
      } finally {
        await file.close();
      }
      const content = hash.digest("hex");
      await rename(part, join(own, content));
      return { content, size };
    } catch (error) {
      together.written -= counted;
      await rm(part, { force: true });
      throw error;
    }
  }

  /** The file as the gateway gets it; null if it is not one of this person's. */
  async remote(identity: string, { ref, name, mediaType, voice }: SaidFile): Promise<RemoteFile | null> {
    if (REF.exec(ref)?.[1] !== ownerOf(identity)) return null;
    const path = this.#pathOf(ref);
    const isThere = path !== null && (await touched(path, this.#setting.clock()));
    if (!isThere) return null;
    return {
      ref,
      name,
      mediaType,
      ...(voice ? { voice } : {}),
      read: (maxBytes, end) => this.read(ref, maxBytes, end),
    };
  }

  /** By a reference that was accepted with a message. */
  async read(ref: string, maxBytes: number, end: AbortSignal): Promise<Uint8Array> {
    const path = this.#pathOf(ref);
    end.throwIfAborted();
    const found = path === null ? null : await stat(path).catch(() => null);
    if (path === null || !found) throw new Error("the upload is not there any more; send it again");
    if (found.size > maxBytes) throw new Error(`larger than ${Math.floor(maxBytes / 2 ** 20)} MB`);
    return readFile(path, { signal: end });
  }

  /** Removes what was uploaded more than a day ago, and what a process left half written. */
  async sweep(): Promise<void> {
    const { folder, clock } = this.#setting;
    for (const owner of await readdir(folder).catch(() => []))
      for (const name of await readdir(join(folder, owner)).catch(() => [])) {
        const path = join(folder, owner, name);
        const found = await stat(path).catch(() => null);
        if (found && found.mtimeMs < clock() - GONE_AFTER_MS) await rm(path, { force: true });
      }
  }

  async #sizeOf(folder: string): Promise<number> {
    let bytes = 0;
    for (const name of await readdir(folder)) {
      const found = await stat(join(folder, name)).catch(() => null);
      if (found) bytes += this.#countedAs(found.size);
    }
    return bytes;
  }

  #countedAs(size: number): number {
    return Math.max(size, this.#setting.least ?? LEAST);
  }

  #pathOf(ref: string): string | null {
    const [, owner, content] = REF.exec(ref) ?? [];
    return owner && content ? join(this.#setting.folder, owner, content) : null;
  }
}

/** The folder of a person: their identity is no name of a file. */
function ownerOf(identity: string): string {
  return createHash("sha256").update(identity).digest("hex").slice(0, 32);
}

/** It was used now, so it stays for another day; false if it is not there. */
async function touched(path: string, now: number): Promise<boolean> {
  return utimes(path, now / 1_000, now / 1_000).then(
    () => true,
    () => false,
  );
}
