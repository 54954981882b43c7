/** The journeys of a person's messages in conversations of others, and everything that was sent to them alone. */
import type { ErasedPerson, Hear } from "../../gateway/erasure.js";
import { deliveryIdOf, type InboxId, type TurnId } from "../../session/ids.js";
import type { Db, Dialect, Queries, Row } from "../db.js";
import { isIn, marks, noteFiles, ownersOf, type PrivatePlaces, releaseFiles, wrote } from "./of-person.js";
import { ERASED } from "./rows.js";
import { address, maybe, number, sourceOfAnyPlatform, text } from "./values.js";

const RANGE = 1_000;

interface OpenTurn {
  readonly id: TurnId;
  readonly inboxId: InboxId;
  /** Its process has given a sign of life lately. */
  readonly isHeld: boolean;
}

/** The turns that run in their sessions, or answer them. */
export async function openTurns(
  tx: Queries,
  dialect: Dialect,
  whose: ErasedPerson,
  now: number,
): Promise<OpenTurn[]> {
  const owners = ownersOf(whose);
  const shift = dialect.clockShift(now);
  const rows = await tx.all(
    `SELECT t.id, t.inbox_id, t.lease_until - ${shift.sql} AS lease_until, i.source, i.said_by, s.owner
     FROM turns t JOIN inbox i ON i.id = t.inbox_id LEFT JOIN sessions s ON s.id = t.session_id WHERE t.state = 'running'`,
    ...shift.values,
  );
  return rows
    .filter((row) => owners.includes(maybe(row.owner ?? null, text) ?? "") || isFrom(whose, row))
    .map((row) => ({
      id: text<TurnId>(row.id),
      inboxId: number<InboxId>(row.inbox_id),
      isHeld: number(row.lease_until) > now,
    }));
}

function isFrom(whose: ErasedPerson, { source, said_by }: Row): boolean {
  return [source, said_by].some((by) => by != null && wrote(whose, sourceOfAnyPlatform(by)));
}

/** What they sent goes, with the turns that answered it; what was said to them goes, too. */
export async function eraseTurns(
  db: Db,
  whose: ErasedPerson,
  places: PrivatePlaces,
  hear: Hear,
): Promise<void> {
  await inRanges(db, "inbox", async (after, through) => {
    const rows = await db.all(
      // A turn that runs has been ended before. A command that runs can't: without its row it says nothing more.
      `SELECT id, key, source, said_by, text, attachments, missing FROM inbox
       WHERE id > ? AND id <= ? AND (state <> 'running' OR kind = 'command')`,
      after,
      through,
    );
    const theirs = rows.filter((row) => places.keys.has(text(row.key)) || isFrom(whose, row));
    if (theirs.length > 0) await db.transaction((tx) => eraseItems(tx, theirs, hear));
  });
  const names = [...whose.identities, ...(whose.id === null ? [] : [whose.id])];
  await inRanges(db, "outbox", async (after, through) => {
    const rows = await db.all(
      "SELECT id, address, text FROM outbox WHERE id > ? AND id <= ?",
      after,
      through,
    );
    for (const row of rows) {
      const isTheirs = isIn(places, address(row.address));
      if (!isTheirs && !names.some((name) => text(row.text).includes(name))) continue;
      hear("words", text(row.text));
      if (isTheirs) await db.run("DELETE FROM outbox WHERE id = ?", number(row.id));
      else
        await db.run(
          "UPDATE outbox SET text = ? WHERE id = ? AND state NOT IN ('pending', 'sending')",
          ERASED,
          number(row.id),
        );
    }
  });
}

async function eraseItems(tx: Queries, items: readonly Row[], hear: Hear): Promise<void> {
  for (const item of items) {
    const id = number(item.id);
    for (const words of [item.text, item.missing, item.attachments]) if (words) hear("words", text(words));
    await releaseFiles(tx, noteFiles(item), hear);
    for (const turn of await tx.all("SELECT id, session_id FROM turns WHERE inbox_id = ?", id)) {
      const answer = "session_id = ? AND turn_id = ?";
      const values = [text(turn.session_id), text(turn.id)];
      await tx.run(`UPDATE outbox SET state = 'dropped' WHERE ${answer} AND state = 'pending'`, ...values);
      await tx.run(`UPDATE outbox SET text = ?, attachments = NULL WHERE ${answer}`, ERASED, ...values);
      await tx.run("DELETE FROM tool_calls WHERE turn_id = ?", text(turn.id));
      await tx.run("DELETE FROM turns WHERE id = ?", text(turn.id));
    }
    // Replies to commands: their ids begin with that of the message.
    const from = deliveryIdOf("inbox", id, "");
    await tx.run("DELETE FROM outbox WHERE delivery_id >= ? AND delivery_id < ?", from, `${from}\u{10ffff}`);
  }
  const ids = items.map((item) => number(item.id));
  await tx.run(`DELETE FROM inbox WHERE id IN (${marks(ids)})`, ...ids);
}

async function inRanges(
  db: Db,
  table: "inbox" | "outbox",
  each: (after: number, through: number) => Promise<void>,
): Promise<void> {
  const last = number((await db.get(`SELECT coalesce(max(id), 0) AS id FROM ${table}`))?.id);
  for (let after = 0; after < last; after += RANGE) await each(after, after + RANGE);
}
