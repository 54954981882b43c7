/**
 * An archive of sessions: one file of JSON lines each, as an export writes it and an import reads it, and beside it a folder with
 * the files of its messages. Each has its name only after it was written, made durable, and read back; the folder comes first.
 * It never replaces another one.
 */
import { createHash, randomBytes } from "node:crypto";
import { createReadStream, existsSync } from "node:fs";
import { link, open, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { StoreError } from "../../session/errors.js";
import type { ArchivedSession, SessionArchive } from "../../session/retention.js";
import type { SessionEntry } from "../../session/session.js";
import type { Sessions } from "../../session/sessions.js";
import { makeFolder } from "../../util/make-folder.js";
import { ArchivedFiles, filesBeside, syncFolder } from "./archived-files.js";
import { exportSession } from "./export.js";
import { sessionFileName } from "./session-json.js";

/** What a file holds. */
interface Content {
  readonly hash: string;
  readonly lines: number;
}

/** `pathOf`: where a file of a message is. */
export function sessionArchive(
  folder: string,
  sessions: Sessions,
  pathOf: (file: string) => string | null,
): SessionArchive {
  return {
    keep: async (entry): Promise<ArchivedSession> => {
      makeFolder(folder);
      const part = join(folder, `.${entry.sessionId}.${randomBytes(6).toString("hex")}.part`);
      const files = new ArchivedFiles(`${part}.files`);
      try {
        await files.copy(sessions, entry, pathOf);
        const written = await write(part, sessions, entry);
        const read = await contentOf(part);
        // A line for the session itself, and one for each message.
        if (read.hash !== written || read.lines !== entry.messageCount + 1) throw notWhole(folder, entry);
        const { file, isNew } = await named(part, files, folder, entry, read);
        await syncFolder(folder);
        const discard = async () => {
          if (isNew) await rm(file, { force: true });
          await files.discard();
        };
        return { file, discard };
      } finally {
        await rm(part, { force: true });
        await files.cleanUp();
      }
    },
  };
}

/** Returns the hash of what was written, which is on the disk then. */
async function write(part: string, sessions: Sessions, entry: SessionEntry): Promise<string> {
  const hash = createHash("sha256");
  const file = await open(part, "wx", 0o600);
  try {
    await exportSession(sessions, entry, "jsonl", async (text) => {
      hash.update(text);
      await file.appendFile(text);
    });
    await file.sync();
  } finally {
    await file.close();
  }
  return hash.digest("hex");
}

async function contentOf(file: string): Promise<Content> {
  const hash = createHash("sha256");
  let lines = 0;
  for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) {
    hash.update(chunk);
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) lines += 1;
  }
  return { hash: hash.digest("hex"), lines };
}

/** Under the first name that is free for both, or that has the same content. */
async function named(
  part: string,
  files: ArchivedFiles,
  folder: string,
  { sessionId }: SessionEntry,
  { hash }: Content,
): Promise<{ readonly file: string; readonly isNew: boolean }> {
  for (let n = 1; ; n++) {
    const number = n === 1 ? "" : `${n}.`;
    const file = join(folder, sessionFileName(sessionId, `${number}jsonl`));
    const isThere = existsSync(file);
    if (isThere && (await contentOf(file)).hash !== hash) continue;
    if (!(await files.name(filesBeside(file)))) continue;
    if (isThere) return { file, isNew: false };
    try {
      await link(part, file);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === "EEXIST") {
        await files.takeBack();
        continue;
      }
      if (code !== "EPERM" && code !== "ENOTSUP" && code !== "ENOSYS") throw error;
      await rename(part, file); // A file system without hard links.
    }
    return { file, isNew: true };
  }
}

function notWhole(folder: string, { sessionId }: SessionEntry): StoreError {
  return new StoreError(
    "archive_failed",
    `The archive of session ${sessionId} in ${folder} is not what was written, so the session was not removed. Check the disk, then try again.`,
  );
}
