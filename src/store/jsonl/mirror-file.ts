/**
 * One mirrored transcript. The first line is padded to a width that leaves it room to change in place; messages are
 * added at the end. Where that cannot be done the file is written anew beside itself and renamed, so that readers
 * always find a whole one.
 */
import { randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { type FileHandle, open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import type { SessionEntry } from "../../session/session.js";
import type { Sessions } from "../../session/sessions.js";
import type { StoredMessage } from "../../session/transcript.js";
import { makeFolder } from "../../util/make-folder.js";
import { jsonLine, messageJson } from "./message-json.js";
import { countConsolidated, isCurrent, metadataLine } from "./session-json.js";

/** The file as this process left it. */
export interface MirroredFile {
  readonly inode: number;
  readonly size: number;
  /** Bytes of the first line, its ending included. */
  readonly headWidth: number;
  /** How many messages it holds, and the `seq` of the last one. */
  readonly count: number;
  readonly lastSeq: number;
  /** The session's cursor, and how many of these messages it covers. */
  readonly consolidatedThrough: number;
  readonly consolidated: number;
}

const HEAD_STEP = 1024;

/** Brings the file up to date with the session; `before` is what the last call gave. */
export async function mirrorSession(
  path: string,
  sessions: Sessions,
  entry: SessionEntry,
  before: MirroredFile | undefined,
): Promise<MirroredFile> {
  return (before && (await extend(path, sessions, entry, before))) ?? writeAnew(path, sessions, entry);
}

/** Null where the file is not as it was left, or where the transcript was rewritten since. */
async function extend(
  path: string,
  sessions: Sessions,
  entry: SessionEntry,
  before: MirroredFile,
): Promise<MirroredFile | null> {
  const added: StoredMessage[] = [];
  for await (const page of sessions.pages(entry.sessionId, { afterSeq: before.lastSeq })) added.push(...page);
  // With none superseded, what the file holds and what is new make up the whole.
  if (before.count + added.length !== entry.messageCount) return null;
  const { consolidatedThrough } = entry;
  const moved = consolidatedThrough !== before.consolidatedThrough;
  const consolidated = moved ? await countConsolidated(sessions, entry) : before.consolidated;
  const head = await headOf(sessions, entry, consolidated);
  if (head.length >= before.headWidth) return null;

  const file = await openExisting(path);
  if (!file) return null;
  try {
    const { ino, size } = await file.stat();
    if (ino !== before.inode || size !== before.size) return null;
    const bytes = Buffer.from(linesOf(added));
    await writeAt(file, bytes, size);
    await writeAt(file, padded(head, before.headWidth), 0);
    return {
      ...before,
      size: size + bytes.length,
      count: before.count + added.length,
      lastSeq: added.at(-1)?.seq ?? before.lastSeq,
      consolidatedThrough,
      consolidated,
    };
  } finally {
    await file.close();
  }
}

async function writeAnew(path: string, sessions: Sessions, entry: SessionEntry): Promise<MirroredFile> {
  const folder = dirname(path);
  makeFolder(folder);
  const draft = `${path}.${randomBytes(6).toString("hex")}.tmp`;
  const file = await open(draft, "wx", 0o600);
  try {
    const consolidated = await countConsolidated(sessions, entry);
    const head = await headOf(sessions, entry, consolidated);
    const headWidth = Math.ceil((head.length + 1) / HEAD_STEP) * HEAD_STEP;
    let size = headWidth;
    let count = 0;
    let lastSeq = 0;
    await writeAt(file, padded(head, headWidth), 0);
    for await (const page of sessions.pages(entry.sessionId)) {
      const bytes = Buffer.from(linesOf(page));
      await writeAt(file, bytes, size);
      size += bytes.length;
      count += page.length;
      lastSeq = page.at(-1)?.seq ?? lastSeq;
    }
    const inode = (await file.stat()).ino;
    await file.close();
    await rename(draft, path);
    const { consolidatedThrough } = entry;
    return { inode, size, headWidth, count, lastSeq, consolidatedThrough, consolidated };
  } catch (error) {
    await file.close();
    await rm(draft, { force: true });
    throw error;
  }
}

async function headOf(sessions: Sessions, entry: SessionEntry, consolidated: number): Promise<Buffer> {
  return Buffer.from(
    jsonLine(metadataLine(entry, { consolidated, current: await isCurrent(sessions, entry) })),
  );
}

function padded(head: Buffer, width: number): Buffer {
  const line = Buffer.alloc(width, " ");
  head.copy(line);
  line.write("\n", width - 1);
  return line;
}

function linesOf(messages: readonly StoredMessage[]): string {
  return messages.map((message) => `${jsonLine(messageJson(message))}\n`).join("");
}

/** All of it: a single write may take less where the disk is nearly full. */
async function writeAt(file: FileHandle, bytes: Buffer, position: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    done += (await file.write(bytes, done, bytes.length - done, position + done)).bytesWritten;
  }
}

async function openExisting(path: string): Promise<FileHandle | null> {
  try {
    return await open(path, constants.O_RDWR | (constants.O_NOFOLLOW ?? 0));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ELOOP") return null;
    throw error;
  }
}
