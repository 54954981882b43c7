/** What a person said to others in a group before somebody else named the bot: notes in front of that one's message. */
import type { ErasedPerson, Hear } from "../../gateway/erasure.js";
import type { SessionId } from "../../session/ids.js";
import { apart, saidBy, withNotes } from "../../session/said-before.js";
import type { Db, Row } from "../db.js";
import type { SearchIndex } from "../search-index.js";
import { number, text } from "./values.js";

/** So many messages with such notes are looked at in one step. */
const BATCH = 500;
const NOTED = "LIKE '[said before: %'";

/** Takes out their notes. The messages leave the search, because its index has the notes too. */
export async function eraseSaid(
  db: Db,
  index: SearchIndex,
  whose: ErasedPerson,
  now: number,
  hear: Hear,
): Promise<void> {
  const without = (words: string): string | null => {
    const theirs = saidBy(whose.identities, words);
    if (theirs.length === 0) return null;
    for (const line of theirs) hear("words", line);
    const { before, own } = apart(words);
    return withNotes(
      before.filter((line) => !theirs.includes(line)),
      own,
    );
  };
  await inBatches(
    db,
    "SELECT id, session_id, content AS words FROM messages",
    `content ${NOTED}`,
    async (row) => {
      const left = without(text(row.words));
      if (left === null) return;
      await db.transaction(async (tx) => {
        const sessionId = text<SessionId>(row.session_id);
        await index.forgetMessages(tx, [number(row.id)]);
        await tx.run("UPDATE messages SET content = ? WHERE id = ?", left, number(row.id));
        await tx.run("UPDATE sessions SET erased_at = ? WHERE id = ?", now, sessionId);
        tx.record({ kind: "session", sessionId });
      });
    },
  );
  await inBatches(db, "SELECT id, text AS words FROM inbox", `text ${NOTED}`, async (row) => {
    const left = without(text(row.words));
    if (left !== null) await db.run("UPDATE inbox SET text = ? WHERE id = ?", left, number(row.id));
  });
}

async function inBatches(
  db: Db,
  select: string,
  which: string,
  each: (row: Row) => Promise<void>,
): Promise<void> {
  for (let after = 0, rows: Row[] = []; ; after = number(rows.at(-1)?.id ?? 0)) {
    rows = await db.all(`${select} WHERE id > ? AND ${which} ORDER BY id LIMIT ?`, after, BATCH);
    for (const row of rows) await each(row);
    if (rows.length < BATCH) return;
  }
}
