/** The terminals that are open, one row for each process. */
import type { Hold, OpenTerminal, Terminals } from "../../gateway/store.js";
import { isUnsaved } from "../../gateway/terminals/unsaved.js";
import type { SessionId } from "../../session/ids.js";
import type { SessionKey } from "../../session/session-key.js";
import type { Db, Queries } from "../db.js";
import type { SearchIndex } from "../search-index.js";
import { forgetSession } from "./forget.js";
import { bindSession, lockLane } from "./lanes.js";
import { PRUNABLE } from "./routes.js";
import { hasActiveHandoff } from "./rows.js";
import { endSession } from "./session-steps.js";
import { flag, maybe, number, text } from "./values.js";

export class SqlTerminals implements Terminals {
  readonly #db: Db;
  readonly #index: SearchIndex;

  constructor(db: Db, index: SearchIndex) {
    this.#db = db;
    this.#index = index;
  }

  async enter(
    { key, isScript, backTo }: Omit<OpenTerminal, "holder" | "until">,
    { holder, leaseMs }: Hold,
    now: number,
  ): Promise<void> {
    const shift = this.#db.dialect.clockShift(now);
    await this.#db.run(
      `INSERT INTO terminals (owner, key, is_script, back_to, lease_until) VALUES (?, ?, ?, ?, ? + ${shift.sql})
       ON CONFLICT (owner) DO UPDATE SET key = excluded.key, is_script = excluded.is_script,
         back_to = COALESCE(excluded.back_to, terminals.back_to), lease_until = excluded.lease_until`,
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
      const backTo = maybe(row.back_to ?? null, text<SessionKey>);
      // What was borrowed goes back, also from under a terminal that has joined: the chat was not told.
      const others = `SELECT 1 AS one FROM terminals WHERE key = ? ${backTo === null ? "" : "AND is_script = 1"}`;
      if (await tx.get(others, key)) {
        const heirs = "UPDATE terminals SET back_to = ? WHERE key = ? AND is_script = 1 AND back_to IS NULL";
        if (backTo !== null) await tx.run(heirs, backTo, key); // Others were there before it was borrowed.
        return true;
      }
      const isReplaced =
        backTo !== null && (await tx.get("SELECT 1 AS one FROM routes WHERE key = ?", backTo));
      if (backTo === null || isReplaced) {
        await endSession(tx, entry, isReplaced ? "switched" : "ended", now);
        await tx.run("DELETE FROM routes WHERE key = ?", key);
        if (isUnsaved(entry) && (await isPrunable(tx, entry.sessionId)))
          await forgetSession(tx, this.#index, entry.sessionId);
      } else if (!(await hasActiveHandoff(tx, entry.sessionId)))
        await bindSession(tx, dialect, backTo, entry.sessionId, now, undefined);
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

async function isPrunable(tx: Queries, sessionId: SessionId): Promise<boolean> {
  const any = Number.MAX_SAFE_INTEGER;
  return Boolean(
    await tx.get(`SELECT 1 AS one FROM sessions s WHERE s.id = ? AND ${PRUNABLE}`, sessionId, any),
  );
}
