/**
 * Messages that a person wrote in conversations of others. The conversation stays; what they wrote, their name and their
 * files do not. All messages are looked at, in parts, because nothing finds them by their author.
 */
import type { ErasedPerson, Hear } from "../../gateway/erasure.js";
import type { SessionId } from "../../session/ids.js";
import type { Db, Row } from "../db.js";
import type { SearchIndex } from "../search-index.js";
import { eraseFromSummaries } from "./erase-summaries.js";
import { isAuthor, marks, noteFiles, ownersOf, releaseFiles } from "./of-person.js";
import { ERASED } from "./rows.js";
import { number, text } from "./values.js";

/** So many ids are looked at in one step. */
const RANGE = 2_000;

/** Gives the messages that they wrote in sessions of others, part by part. Returns how many there are. */
export async function messagesBy(
  db: Db,
  whose: ErasedPerson,
  each: (rows: readonly Row[]) => Promise<void>,
): Promise<number> {
  const owners = ownersOf(whose);
  const last = number((await db.get("SELECT coalesce(max(id), 0) AS id FROM messages"))?.id);
  let count = 0;
  for (let after = 0; after < last; after += RANGE) {
    const rows = await db.all(
      `SELECT m.id, m.session_id, m.content, m.name, m.author, m.attachments FROM messages m
       JOIN sessions s ON s.id = m.session_id
       WHERE m.id > ? AND m.id <= ? AND m.author IS NOT NULL AND s.owner NOT IN (${marks(owners)}) ORDER BY m.id`,
      after,
      after + RANGE,
      ...owners,
    );
    const theirs = rows.filter((row) => isAuthor(whose, row));
    count += theirs.length;
    if (theirs.length > 0) await each(theirs);
  }
  return count;
}

export async function eraseMessages(
  db: Db,
  index: SearchIndex,
  whose: ErasedPerson,
  now: number,
  hear: Hear,
): Promise<number> {
  return messagesBy(db, whose, async (rows) => {
    for (const row of rows)
      for (const words of [row.content, row.name, row.attachments]) if (words) hear("words", text(words));
    await db.transaction(async (tx) => {
      const ids = rows.map((row) => number(row.id));
      await index.forgetMessages(tx, ids);
      await tx.run(
        `UPDATE messages SET content = ?, name = NULL, author = NULL, attachments = NULL WHERE id IN (${marks(ids)})`,
        ERASED,
        ...ids,
      );
      for (const row of rows) await releaseFiles(tx, noteFiles(row), hear);
      for (const sessionId of new Set(rows.map((row) => text<SessionId>(row.session_id)))) {
        const there = rows.filter((row) => row.session_id === sessionId);
        await eraseFromSummaries(tx, sessionId, there, hear);
        await tx.run("UPDATE sessions SET erased_at = ? WHERE id = ?", now, sessionId);
        tx.record({ kind: "session", sessionId });
      }
    });
  });
}
