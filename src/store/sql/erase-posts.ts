/** The chats of a person in the page: they are that person's alone, so all that is in them goes. */
import type { ErasedPerson, Hear } from "../../gateway/erasure.js";
import type { Db } from "../db.js";
import { marks, noteFiles, ownChats, releaseFiles } from "./of-person.js";
import { hearRows, type TextTables } from "./texts.js";
import { number } from "./values.js";

/** So many posts go in one step. */
const BATCH = 500;

export async function erasePosts(db: Db, tables: TextTables, whose: ErasedPerson, hear: Hear): Promise<void> {
  for (const { chatId } of ownChats(whose)) {
    hear("id", chatId);
    for (let gone = BATCH; gone === BATCH; ) gone = await eraseSome(db, tables, chatId, hear);
    await db.run("DELETE FROM web_chats WHERE chat = ?", chatId);
  }
}

function eraseSome(db: Db, tables: TextTables, chatId: string, hear: Hear): Promise<number> {
  return db.transaction(async (tx) => {
    const page = "SELECT id, attachments FROM web_posts WHERE chat = ? ORDER BY position LIMIT ?";
    const rows = await tx.all(page, chatId, BATCH);
    const ids = rows.map((row) => number(row.id));
    if (ids.length === 0) return 0;
    const these = `id IN (${marks(ids)})`;
    await hearRows(tx, tables, (words) => hear("words", words), "web_posts", these, ...ids);
    for (const row of rows) await releaseFiles(tx, noteFiles(row), hear);
    return tx.run(`DELETE FROM web_posts WHERE ${these}`, ...ids);
  });
}
