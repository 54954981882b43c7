/**
 * The media store: files that came with messages, or go with them, in one private folder under names of our own. What
 * a sender calls a file is kept beside it and never used as a path.
 */
import { randomBytes } from "node:crypto";
import { mkdir, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { LocalFile, RemoteFile } from "../adapter/adapter.js";
import type { Attachment } from "../session/transcript.js";
import { cleanLine, shorten } from "../util/text.js";

const MAX_BYTES = 20 * 1024 * 1024;
const MAX_FILES = 10;
const OUR_NAME = /^[0-9a-f]{32}(?:\.[a-z0-9]{1,8})?$/;

export interface Taken {
  readonly attachments: readonly Attachment[];
  /** What could not be taken, in words. */
  readonly problems: readonly string[];
}

export class Media {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Fetches and keeps the files of a message; what cannot be is told, and costs no other. */
  async take(files: readonly RemoteFile[]): Promise<Taken> {
    const attachments: Attachment[] = [];
    const problems: string[] = [];
    for (const file of files.slice(0, MAX_FILES)) {
      try {
        attachments.push(await this.#keep(file));
      } catch (error) {
        problems.push(`${nameOf(file)}: ${error instanceof Error ? error.message : String(error)}`);
      }
    }
    if (files.length > MAX_FILES)
      problems.push(`${files.length - MAX_FILES} more: at most ${MAX_FILES} are taken`);
    return { attachments, problems };
  }

  /** The files of our own store behind these; what is not there is left out. */
  async find(attachments: readonly Attachment[]): Promise<LocalFile[]> {
    const found: LocalFile[] = [];
    for (const { file, mediaType, name } of attachments) {
      const path = this.pathOf(file);
      if (path && (await stat(path).catch(() => null))?.isFile())
        found.push({ path, mediaType, name: name ?? file });
    }
    return found;
  }

  /** Null where the name is not one of ours. */
  pathOf(file: string): string | null {
    return OUR_NAME.test(file) ? join(this.#folder, file) : null;
  }

  /** Takes back what was kept for a message that was there already. */
  async forget(attachments: readonly Attachment[]): Promise<void> {
    for (const { file } of attachments) {
      const path = this.pathOf(file);
      if (path) await rm(path, { force: true });
    }
  }

  async #keep(remote: RemoteFile): Promise<Attachment> {
    const bytes = await remote.read(MAX_BYTES);
    if (bytes.byteLength > MAX_BYTES) throw new Error(`larger than ${MAX_BYTES / 1024 / 1024} MB`);
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const file = randomBytes(16).toString("hex") + extensionOf(remote.name);
    await writeFile(join(this.#folder, file), bytes, { mode: 0o600, flag: "wx" });
    return { file, mediaType: mediaTypeOf(remote.mediaType), name: nameOf(remote) };
  }
}

function nameOf({ name }: RemoteFile): string {
  return shorten(cleanLine(name ?? ""), 100) || "file";
}

/** For people who look into the folder; nothing here goes by it. */
function extensionOf(name: string | undefined): string {
  return /\.[a-z0-9]{1,8}$/.exec(name?.toLowerCase() ?? "")?.[0] ?? "";
}

function mediaTypeOf(type: string): string {
  const [plain = ""] = type.toLowerCase().split(";");
  return /^[a-z0-9.+-]{1,60}\/[a-z0-9.+-]{1,60}$/.test(plain.trim())
    ? plain.trim()
    : "application/octet-stream";
}
