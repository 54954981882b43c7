/** The title that Baton itself gives a session: once, and never in the place of a person's. */
import type { TitleStore } from "../../gateway/memory/titles.js";
import type { ModelUses } from "../../memory/consolidations.js";
import type { SessionId } from "../../session/ids.js";
import type { Db } from "../db.js";
import { freeTitle, readSession } from "./session-steps.js";
import { addSpent } from "./spent.js";

export class SqlTitles implements TitleStore {
  readonly #db: Db;

  constructor(db: Db) {
    this.#db = db;
  }

  nameOnce(sessionId: SessionId, title: string): Promise<string | null> {
    return this.#db.transaction(async (tx) => {
      const mark = "UPDATE sessions SET titled = 1 WHERE id = ? AND titled = 0 AND title IS NULL";
      if ((await tx.run(mark, sessionId)) === 0) return null;
      const { entry } = await readSession(tx, sessionId, this.#db.dialect.forUpdate("sessions"));
      const free = await freeTitle(tx, entry.owner, title, sessionId);
      await tx.run("UPDATE sessions SET title = ? WHERE id = ?", free, sessionId);
      tx.record({ kind: "session", sessionId });
      return free;
    });
  }

  rename(sessionId: SessionId, from: string, to: string, spent: ModelUses, now: number): Promise<boolean> {
    return this.#db.transaction(async (tx) => {
      const { entry } = await readSession(tx, sessionId, this.#db.dialect.forUpdate("sessions"));
      await addSpent(tx, sessionId, spent, now);
      if (entry.title !== from) return false;
      const free = await freeTitle(tx, entry.owner, to, sessionId);
      await tx.run("UPDATE sessions SET title = ? WHERE id = ?", free, sessionId);
      tx.record({ kind: "session", sessionId });
      return true;
    });
  }
}
