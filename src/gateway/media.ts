/**
 * The media store: the files of messages, in one private folder, under names of our own. The name that a sender gave a
 * file is stored beside it and never used as a path.
 */
import { randomBytes } from "node:crypto";
import { lstat, rm, stat, unlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { LocalFile, RemoteFile } from "../adapter/adapter.js";
import { MAX_INBOUND_FILE } from "../adapter/inbound-limit.js";
import type { Attachment } from "../session/transcript.js";
import type { Clock } from "../util/clock.js";
import { Limiter } from "../util/limiter.js";
import { makeFolder } from "../util/make-folder.js";
import { mediaTypeOfContent } from "../util/media-type.js";
import { cleanLine, shorten } from "../util/text.js";
import { Patience } from "./patience.js";
import { SessionFiles } from "./session-files.js";
import type { MediaFiles, Taken } from "./store.js";

/** The largest file that is accepted. */
export const MAX_BYTES = MAX_INBOUND_FILE;
const MAX_FILES = 10;
/** How long the files of one message may take in total; then it is answered without the rest. */
const PATIENCE_MS = 60_000;
/** How many files are downloaded at once; each is in memory meanwhile. */
const AT_ONCE = 8;
const OUR_NAME = /^[0-9a-f]{32}(?:\.[a-z0-9]{1,8})?$/;

/** How many bytes may be downloaded, and why not more. */
export interface MediaRoom {
  readonly bytes: number;
  readonly reason: string | null;
}

/** The files as missing: a message says so until they are here. */
export function notYetTaken(files: readonly RemoteFile[]): Taken["missing"] {
  const missing = files
    .slice(0, MAX_FILES)
    .map((file) => `${nameOf(file)}: it could not be downloaded in time; ask for it again`);
  return [...missing, ...tooMany(files)];
}

const ALL: MediaRoom = { bytes: Number.POSITIVE_INFINITY, reason: null };

/** A file that is to be sent. */
export interface FileToSend extends Pick<Attachment, "voice" | "from"> {
  readonly name: string;
  readonly mediaType: string;
  readonly bytes: Uint8Array;
}

/** What a sweep removed. */
export interface Swept {
  readonly files: number;
  readonly bytes: number;
}

/** A new file is referred to within moments, so nothing younger than this is swept. */
const SWEPT_AFTER_MS = 24 * 60 * 60 * 1_000;

export class Media {
  readonly #folder: string;
  readonly #files: MediaFiles;
  readonly #clock: Clock;
  readonly #patienceMs: number;
  readonly #downloads = new Limiter(AT_ONCE);
  /** The files of each conversation, for its tools. */
  readonly sessionFiles: SessionFiles;

  constructor(folder: string, files: MediaFiles, clock: Clock, patienceMs = PATIENCE_MS) {
    this.#folder = folder;
    this.#files = files;
    this.#clock = clock;
    this.#patienceMs = patienceMs;
    this.sessionFiles = new SessionFiles(join(folder, "sessions"), (file) => this.pathOf(file), clock);
  }

  /** The time that the files of a new message may take in total. */
  patience(): Patience {
    return new Patience(this.#patienceMs);
  }

  /**
   * Downloads the files of a message; one that fails is reported and does not affect the others. The store knows each
   * file before it exists, so a process that ends in between leaves none behind.
   */
  async take(
    files: readonly RemoteFile[],
    {
      room = ALL,
      patience = this.patience(),
    }: { readonly room?: MediaRoom; readonly patience?: Patience } = {},
  ): Promise<Taken> {
    const attachments: Attachment[] = [];
    const missing: string[] = [];
    const wanted = files.slice(0, MAX_FILES).map((remote) => ({ remote, file: newName(remote) }));
    const names = wanted.map(({ file }) => file);
    if (names.length > 0) await this.#files.taking(names, this.#clock());
    let left = room.bytes;
    for (const { remote, file } of wanted) {
      try {
        const attachment = await this.#keep(remote, file, left, patience);
        left -= attachment.size ?? 0;
        attachments.push(attachment);
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        missing.push(`${nameOf(remote)}: ${(left < MAX_BYTES && room.reason) || reason}`);
      }
    }
    patience.end("all is there");
    missing.push(...tooMany(files));
    await this.#remove(names.filter((name) => attachments.every(({ file }) => file !== name)));
    return { attachments, missing };
  }

  pathOf(file: string): string | null {
    return mediaPath(this.#folder, file);
  }

  /** Saves a file that is to be sent. The store knows it before it exists. */
  async save({ bytes, ...sent }: FileToSend): Promise<Attachment> {
    const file = newName(sent);
    await this.#files.taking([file], this.#clock());
    try {
      makeFolder(this.#folder);
      await writeFile(join(this.#folder, file), bytes, { mode: 0o600, flag: "wx" });
    } catch (error) {
      await this.#remove([file]);
      throw error;
    }
    return {
      ...sent,
      file,
      name: nameOf(sent),
      mediaType: mediaTypeOf(sent.mediaType),
      size: bytes.byteLength,
    };
  }

  /** The file in our folder; null if it does not exist. */
  async find({ file, mediaType, name = file, voice, from }: Attachment): Promise<LocalFile | null> {
    const path = mediaPath(this.#folder, file);
    const isThere = path && (await stat(path).catch(() => null))?.isFile();
    if (!isThere) return null;
    return { path, mediaType, name, ...(voice ? { voice } : {}), ...(from ? { from } : {}) };
  }

  /** Removes the files of a message that turned out not to need them. */
  forget(attachments: readonly Attachment[]): Promise<void> {
    return this.#remove(attachments.map(({ file }) => file));
  }

  /** Removes the files that this store made and no longer refers to. Other files are left alone. */
  async sweep(): Promise<Swept> {
    const removed: string[] = [];
    let bytes = 0;
    for (const file of await this.#files.unneeded(this.#clock() - SWEPT_AFTER_MS)) {
      const size = await removeFile(mediaPath(this.#folder, file));
      if (size === null) continue; // It is on another machine that uses this store, or another sweep removed it.
      removed.push(file);
      bytes += size;
    }
    if (removed.length > 0) await this.#files.gone(removed);
    await this.sessionFiles.forget();
    return { files: removed.length, bytes };
  }

  async #remove(names: readonly string[]): Promise<void> {
    for (const file of names) {
      const path = mediaPath(this.#folder, file);
      if (path) await rm(path, { force: true });
    }
    if (names.length > 0) await this.#files.gone(names);
  }

  /** Frees the place when the download has ended, or when nobody waits for it any more. */
  #fetch(remote: RemoteFile, most: number, patience: Patience): Promise<Uint8Array> {
    return this.#downloads.run(() => {
      if (patience.signal.aborted) return patience.over;
      return Promise.race([remote.read(most, patience.signal), patience.over]);
    });
  }

  async #keep(remote: RemoteFile, file: string, left: number, patience: Patience): Promise<Attachment> {
    const most = Math.min(MAX_BYTES, left);
    if (most <= 0) throw new Error("there is no space for it");
    const bytes = await this.#fetch(remote, most, patience);
    if (bytes.byteLength > most) throw new Error(`larger than ${most / 1024 / 1024} MB`);
    makeFolder(this.#folder);
    await writeFile(join(this.#folder, file), bytes, { mode: 0o600, flag: "wx" });
    const mediaType = pictureType(mediaTypeOf(remote.mediaType), bytes);
    const { voice, answered } = remote;
    return {
      file,
      mediaType,
      name: nameOf(remote),
      size: bytes.byteLength,
      ...(voice ? { voice } : {}),
      ...(answered ? { answered } : {}),
    };
  }
}

/** The path of a file in the media store; null if the name is not one of ours. */
export function mediaPath(folder: string, file: string): string | null {
  return OUR_NAME.test(file) ? join(folder, file) : null;
}

/** The size of the removed file; null if there was none. A link or a folder of that name does not count. */
async function removeFile(path: string | null): Promise<number | null> {
  const found = path === null ? null : await lstat(path).catch(ifAbsent);
  if (path === null || !found?.isFile()) return null;
  return unlink(path).then(() => found.size, ifAbsent);
}

function ifAbsent(error: NodeJS.ErrnoException): null {
  if (error.code === "ENOENT" || error.code === "ENOTDIR") return null;
  throw error;
}

function tooMany(files: readonly RemoteFile[]): string[] {
  const more = files.length - MAX_FILES;
  return more > 0 ? [`${more} more: Baton takes at most ${MAX_FILES}`] : [];
}

function newName({ name }: Pick<RemoteFile, "name">): string {
  return randomBytes(16).toString("hex") + extensionOf(name);
}

function nameOf({ name }: Pick<RemoteFile, "name">): string {
  return shorten(cleanLine(name ?? ""), 100) || "file";
}

/** For people who look into the folder; Baton does not use it. */
function extensionOf(name: string | undefined): string {
  return /\.[a-z0-9]{1,8}$/.exec(name?.toLowerCase() ?? "")?.[0] ?? "";
}

/** Some platforms do not say what a picture is, and models refuse one that is called another: it is what it begins like. */
function pictureType(said: string, bytes: Uint8Array): string {
  const found = said.startsWith("image/") ? mediaTypeOfContent(bytes) : undefined;
  return found?.startsWith("image/") ? found : said;
}

function mediaTypeOf(type: string): string {
  const [plain = ""] = type.toLowerCase().split(";");
  return /^[a-z0-9.+-]{1,60}\/[a-z0-9.+-]{1,60}$/.test(plain.trim())
    ? plain.trim()
    : "application/octet-stream";
}
