/**
 * Notes about people and chats. Every statement names the owners that it may touch. A writer first holds the row of the
 * owner in `memory_owners`, so the limit and "it is there already" are right also if two processes write at once.
 */
import {
  charactersOf,
  checkNote,
  hasRoom,
  type MemoryNote,
  NOTE_MAKERS,
  type NoteMaker,
} from "../../memory/notes.js";
import type {
  MemoryCounts,
  MemoryNotes,
  NoteCount,
  NoteSaved,
  NotesEdit,
  NotesEdited,
} from "../../memory/store.js";
import { ownerOfPerson, personOf } from "../../session/access.js";
import type { Db, Queries, Row } from "../db.js";
import { columnsOf } from "./columns.js";
import { findPerson } from "./persons.js";
import { number, oneOf, text } from "./values.js";

const NONE = { kind: "none" } as const;

export class SqlMemoryNotes implements MemoryNotes, MemoryCounts {
  readonly #db: Db;

  constructor(db: Db) {
    this.#db = db;
  }

  of(owners: readonly string[]): Promise<MemoryNote[]> {
    return notesOf(this.#db, owners);
  }

  add(
    owners: readonly string[],
    owner: string,
    words: string,
    by: NoteMaker,
    most: number,
    now: number,
  ): Promise<NoteSaved> {
    return this.#db.transaction(async (tx) => {
      if (!owners.includes(owner)) return NONE;
      await hold(tx, owners);
      const same = await noteSaying(tx, owner, words);
      if (same) return { kind: "same", note: same };
      const used = charactersOf(await notesOf(tx, owners));
      if (!hasRoom(used, 0, words.length, most)) return { kind: "full", used };
      return { kind: "saved", note: await insert(tx, owner, words, by, now) };
    });
  }

  replace(
    owners: readonly string[],
    id: number,
    words: string,
    by: NoteMaker,
    most: number,
    now: number,
  ): Promise<NoteSaved> {
    return this.#db.transaction(async (tx) => {
      await hold(tx, owners);
      const notes = await notesOf(tx, owners);
      const old = notes.find((note) => note.id === id);
      if (!old) return NONE;
      const same = await noteSaying(tx, old.owner, words);
      if (same?.id === id) return { kind: "same", note: same };
      if (same) {
        await removeOne(tx, old);
        return { kind: "saved", note: same };
      }
      const used = charactersOf(notes);
      if (!hasRoom(used, old.text.length, words.length, most)) return { kind: "full", used };
      const row = await tx.write(
        `UPDATE memory_notes SET text = ?, made_at = ?, made_by = ? WHERE id = ? AND owner = ?
         RETURNING ${columnsOf("memory_notes")}`,
        words,
        now,
        by,
        id,
        old.owner,
      );
      return row ? { kind: "saved", note: noteIn(row) } : NONE;
    });
  }

  edit(
    owners: readonly string[],
    owner: string,
    { remove, add }: NotesEdit,
    by: NoteMaker,
    most: number,
    now: number,
  ): Promise<NotesEdited> {
    return this.#db.transaction(async (tx) => {
      if (!owners.includes(owner)) return NONE;
      await hold(tx, owners);
      const notes = await notesOf(tx, owners);
      const going = notes.filter(({ id }) => remove.includes(id));
      const goes = new Set(going.map(({ id }) => id));
      const coming: string[] = [];
      for (const words of new Set(add)) {
        const same = await noteSaying(tx, owner, words);
        if (!same || goes.has(same.id)) coming.push(words);
      }
      const [used, removed] = [charactersOf(notes), charactersOf(going)];
      const added = coming.reduce((sum, { length }) => sum + length, 0);
      if (!hasRoom(used, removed, added, most)) return { kind: "full", used };
      for (const note of going) await removeOne(tx, note);
      for (const words of coming) await insert(tx, owner, words, by, now);
      return { kind: "edited", added: coming.length, removed: going.length };
    });
  }

  remove(owners: readonly string[], ids: readonly number[]): Promise<MemoryNote[]> {
    return this.#db.transaction(async (tx) => {
      await hold(tx, owners);
      const going = (await notesOf(tx, owners)).filter(({ id }) => ids.includes(id));
      for (const note of going) await removeOne(tx, note);
      return going;
    });
  }

  forget(owners: readonly string[]): Promise<number> {
    if (owners.length === 0) return Promise.resolve(0);
    return this.#db.transaction(async (tx) => {
      await hold(tx, owners);
      const gone = await tx.run(`DELETE FROM memory_notes WHERE owner IN (${marks(owners)})`, ...owners);
      await tx.run(`DELETE FROM memory_owners WHERE owner IN (${marks(owners)})`, ...owners);
      return gone;
    });
  }

  async counts(): Promise<NoteCount[]> {
    const rows = await this.#db.all(
      "SELECT owner, count(*) AS notes, max(made_at) AS last_at FROM memory_notes GROUP BY owner ORDER BY owner",
    );
    return rows.map((row) => ({
      owner: text(row.owner),
      notes: number(row.notes),
      lastAt: number(row.last_at),
    }));
  }
}

/**
 * Adds the texts that can be notes, are new and fit, inside the transaction of somebody who changes more than the notes;
 * returns how many. All notes of the person count, also those of their other identities.
 */
export async function addNotesIn(
  tx: Queries,
  owner: string,
  texts: readonly string[],
  by: NoteMaker,
  most: number,
  now: number,
): Promise<number> {
  const owners = await ownersBeside(tx, owner);
  await hold(tx, owners);
  let used = charactersOf(await notesOf(tx, owners));
  let added = 0;
  for (const given of texts) {
    const checked = checkNote(given);
    if (checked.kind !== "good" || !hasRoom(used, 0, checked.text.length, most)) continue;
    if (await noteSaying(tx, owner, checked.text)) continue;
    await insert(tx, owner, checked.text, by, now);
    used += checked.text.length;
    added += 1;
  }
  return added;
}

/** The owners that are one person with this one; a chat is alone. */
async function ownersBeside(tx: Queries, owner: string): Promise<readonly string[]> {
  const identity = personOf({ owner });
  const person = identity === null ? null : await findPerson(tx, identity);
  const others = person?.identities.map((each) => ownerOfPerson(each.identity)) ?? [];
  return [...new Set([owner, ...others])];
}

/** Until the end of the transaction nobody else writes for them. All who write for a person hold the same row. */
async function hold(tx: Queries, owners: readonly string[]): Promise<void> {
  const [first] = [...owners].sort();
  if (first === undefined) return;
  await tx.run(
    "INSERT INTO memory_owners (owner) VALUES (?) ON CONFLICT (owner) DO UPDATE SET owner = excluded.owner",
    first,
  );
}

async function notesOf(on: Queries, owners: readonly string[]): Promise<MemoryNote[]> {
  if (owners.length === 0) return [];
  const rows = await on.all(
    `SELECT ${columnsOf("memory_notes")} FROM memory_notes WHERE owner IN (${marks(owners)}) ORDER BY id`,
    ...owners,
  );
  return rows.map(noteIn);
}

/** Compared by the database, where a known secret was taken out of both texts. */
async function noteSaying(tx: Queries, owner: string, words: string): Promise<MemoryNote | null> {
  const row = await tx.get(
    `SELECT ${columnsOf("memory_notes")} FROM memory_notes WHERE owner = ? AND text = ? ORDER BY id LIMIT 1`,
    owner,
    words,
  );
  return row ? noteIn(row) : null;
}

async function insert(
  tx: Queries,
  owner: string,
  words: string,
  by: NoteMaker,
  now: number,
): Promise<MemoryNote> {
  const row = await tx.write(
    `INSERT INTO memory_notes (owner, text, made_at, made_by) VALUES (?, ?, ?, ?)
     RETURNING ${columnsOf("memory_notes")}`,
    owner,
    words,
    now,
    by,
  );
  return noteIn(row ?? {});
}

async function removeOne(tx: Queries, { id, owner }: MemoryNote): Promise<void> {
  await tx.run("DELETE FROM memory_notes WHERE id = ? AND owner = ?", id, owner);
}

function noteIn(row: Row): MemoryNote {
  return {
    id: number(row.id),
    owner: text(row.owner),
    text: text(row.text),
    madeAt: number(row.made_at),
    by: oneOf(row.made_by, NOTE_MAKERS),
  };
}

function marks(values: readonly unknown[]): string {
  return values.map(() => "?").join(", ");
}
