/** The terminals that are open, one row for each process. */
import type { Hold, OpenTerminal, Terminals } from "../../gateway/store.js";
import type { SessionKey } from "../../session/session-key.js";
import type { Db } from "../db.js";
import { bindSession, lockLane } from "./lanes.js";
import { hasActiveHandoff } from "./rows.js";
import { endSession } from "./session-steps.js";
import { flag, maybe, number, text } from "./values.js";

export class SqlTerminals implements Terminals {
  readonly #db: Db;

  constructor(db: Db) {
    this.#db = db;
  }

  async enter(
    { key, isScript, backTo }: Omit<OpenTerminal, "holder" | "until">,
    { holder, leaseMs }: Hold,
    now: number,
  ): Promise<void> {
    const shift = this.#db.dialect.clockShift(now);
    await this.#db.run(
      `INSERT INTO terminals (owner, key, is_script, back_to, lease_until) VALUES (?, ?, ?, ?, ? + ${shift.sql})
       ON CONFLICT (owner) DO UPDATE SET key = excluded.key, is_script = excluded.is_script, back_to = excluded.back_to,
         lease_until = excluded.lease_until`,
      holder,
      key,
      isScript ? 1 : 0,
      backTo,
      now + leaseMs,
      ...shift.values,
    );
  }

  leave(holder: string, now: number): Promise<boolean> {
    const { dialect } = this.#db;
    return this.#db.transaction(async (tx) => {
      const row = await tx.get("SELECT key, is_script, back_to FROM terminals WHERE owner = ?", holder);
      if (!row) return false;
      const key = text<SessionKey>(row.key);
      const entry = (await lockLane(tx, dialect, key))?.session.entry;
      await tx.run("DELETE FROM terminals WHERE owner = ?", holder);
      if (!entry || !flag(row.is_script)) return true;
      if (await tx.get("SELECT 1 AS one FROM terminals WHERE key = ?", key)) return true;
      const backTo = maybe(row.back_to ?? null, text<SessionKey>);
      if (backTo === null) {
        await endSession(tx, entry, "ended", now);
        await tx.run("DELETE FROM routes WHERE key = ?", key);
      } else if (!(await hasActiveHandoff(tx, entry.sessionId)))
        await bindSession(tx, dialect, backTo, entry.sessionId, now);
      return true;
    });
  }

  async all(now: number): Promise<OpenTerminal[]> {
    const shift = this.#db.dialect.clockShift(now);
    const rows = await this.#db.all(
      `SELECT owner, key, is_script, back_to, lease_until - ${shift.sql} AS lease_until FROM terminals`,
      ...shift.values,
    );
    return rows.map((row) => ({
      holder: text(row.owner),
      key: text<SessionKey>(row.key),
      isScript: flag(row.is_script),
      backTo: maybe(row.back_to ?? null, text<SessionKey>),
      until: number(row.lease_until),
    }));
  }
}
