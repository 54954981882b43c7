/** Long work: one row each, of the process that does it. */

import type { WorkStore } from "../../gateway/work.js";
import { CUT_OFF, type LongWork, type NewWork, WORK_KEPT_MS, WORK_SILENT_MS } from "../../gateway/work.js";
import { fateOf } from "../../util/holder.js";
import { storableText } from "../../util/text.js";
import type { Db, Row } from "../db.js";
import { columnsOf } from "./columns.js";
import { maybe, number, text } from "./values.js";

export class SqlWork implements WorkStore {
  readonly #db: Db;

  constructor(db: Db) {
    this.#db = db;
  }

  begin({ what, unit, total }: NewWork, holder: string, now: number): Promise<number> {
    return this.#db.transaction(async (tx) => {
      const row = await tx.write(
        `INSERT INTO work (what, unit, done, total, started_at, told_at, owner) VALUES (?, ?, 0, ?, ?, ?, ?)
         RETURNING id`,
        storableText(what),
        storableText(unit),
        total,
        now,
        now,
        holder,
      );
      // What nobody ended was cut off: it is as old as its last word.
      await tx.run("DELETE FROM work WHERE coalesce(ended_at, told_at) < ?", now - WORK_KEPT_MS);
      tx.record({ kind: "work" });
      return number(row?.id);
    });
  }

  tell(id: number, { done, total }: Pick<LongWork, "done" | "total">, now: number): Promise<void> {
    const tell = "UPDATE work SET done = ?, total = ?, told_at = ? WHERE id = ? AND ended_at IS NULL";
    return this.#change(tell, done, total, now, id);
  }

  end(id: number, outcome: string, now: number): Promise<void> {
    const end = "UPDATE work SET outcome = ?, ended_at = ?, told_at = ? WHERE id = ? AND ended_at IS NULL";
    return this.#change(end, storableText(outcome), now, now, id);
  }

  async list(now: number): Promise<LongWork[]> {
    const rows = await this.#db.all(
      `SELECT ${columnsOf("work")} FROM work WHERE coalesce(ended_at, told_at) >= ? ORDER BY id DESC`,
      now - WORK_KEPT_MS,
    );
    return rows.map((row) => workOf(row, now));
  }

  async #change(sql: string, ...values: (string | number | null)[]): Promise<void> {
    if ((await this.#db.run(sql, ...values)) > 0) this.#db.record({ kind: "work" });
  }
}

function workOf(row: Row, now: number): LongWork {
  const toldAt = number(row.told_at);
  const endedAt = maybe(row.ended_at ?? null, number);
  const isCutOff = endedAt === null && isOver(text(row.owner), now - toldAt);
  return {
    id: number(row.id),
    what: text(row.what),
    unit: text(row.unit),
    done: number(row.done),
    total: maybe(row.total ?? null, number),
    startedAt: number(row.started_at),
    toldAt,
    endedAt: isCutOff ? toldAt : endedAt,
    outcome: isCutOff ? CUT_OFF : maybe(row.outcome ?? null, text),
  };
}

function isOver(holder: string, silentMs: number): boolean {
  const fate = fateOf(holder);
  return fate === "ended" || (fate === "unknown" && silentMs > WORK_SILENT_MS);
}
