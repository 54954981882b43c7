/** The files of the media folder that are this store's, and which of them nothing refers to. */
import type { MediaFiles } from "../../gateway/store.js";
import type { SessionId } from "../../session/ids.js";
import type { SessionKey } from "../../session/session-key.js";
import type { Attachment } from "../../session/transcript.js";
import type { Db } from "../db.js";
import { readAttachments } from "./rows.js";
import { text } from "./values.js";

/** Messages that were taken back still have theirs; what was answered or sent has them in its message, or needs them no more. */
const REFERRING = [
  "SELECT attachments FROM messages WHERE attachments IS NOT NULL",
  "SELECT attachments FROM inbox WHERE state IN ('waiting', 'running') AND attachments IS NOT NULL",
  "SELECT attachments FROM outbox WHERE state IN ('pending', 'sending') AND attachments IS NOT NULL",
  "SELECT attachments FROM web_posts WHERE attachments IS NOT NULL",
];

/** How many messages with files a session's folder has files of. */
const MOST_MESSAGES = 200;

export class SqlMediaFiles implements MediaFiles {
  readonly #db: Db;

  constructor(db: Db) {
    this.#db = db;
  }

  taking(files: readonly string[], now: number): Promise<void> {
    return this.#db.transaction(async (tx) => {
      for (const name of files)
        await tx.run("INSERT INTO media_files (name, taken_at) VALUES (?, ?)", name, now);
    });
  }

  unneeded(takenBefore: number): Promise<string[]> {
    return this.#db.snapshot(async (tx) => {
      const taken = await tx.all("SELECT name FROM media_files WHERE taken_at < ?", takenBefore);
      const left = new Set(taken.map(({ name }) => text(name)));
      for (const query of REFERRING) {
        for (const row of await tx.all(query)) {
          for (const { file } of readAttachments(row).attachments ?? []) left.delete(file);
        }
      }
      return [...left];
    });
  }

  inSession(sessionId: SessionId, key: SessionKey): Promise<Attachment[]> {
    return this.#db.snapshot(async (tx) => {
      const rows = [
        ...(await tx.all(
          `SELECT attachments FROM messages WHERE session_id = ? AND attachments IS NOT NULL
           ORDER BY seq DESC LIMIT ${MOST_MESSAGES}`,
          sessionId,
        )),
        ...(await tx.all(
          `SELECT attachments FROM inbox WHERE key = ? AND state IN ('waiting', 'running') AND attachments IS NOT NULL
           ORDER BY id LIMIT ${MOST_MESSAGES}`,
          key,
        )),
      ];
      return rows.flatMap((row) => readAttachments(row).attachments ?? []);
    });
  }

  gone(files: readonly string[]): Promise<void> {
    return this.#db.transaction(async (tx) => {
      for (const name of files) await tx.run("DELETE FROM media_files WHERE name = ?", name);
    });
  }
}
