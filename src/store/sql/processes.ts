/** Background processes: each is known before it is started, and its first end counts. */
import type { ProcessReports } from "../../gateway/store.js";
import type { ProcessEnd } from "../../process/process.js";
import {
  type KeptProcess,
  type NewProcess,
  type ProcessAdded,
  type ProcessCaps,
  type ProcessStore,
  SILENT_HOME_MS,
  UNSAID_MS,
} from "../../process/store.js";
import type { ProcessId, SessionId } from "../../session/ids.js";
import type { SessionKey } from "../../session/session-key.js";
import { storableText } from "../../util/text.js";
import type { Db, Queries, SqlValue } from "../db.js";
import { columnsOf } from "./columns.js";
import { SqlProcessReports } from "./process-reports.js";
import { endValues, keptProcess, LIVE } from "./process-rows.js";
import { writeOrigin } from "./rows.js";
import { readSession } from "./session-steps.js";
import { number, text } from "./values.js";

const SELECT = `SELECT ${columnsOf("processes")} FROM processes`;

/** How often a gateway says that it is there. */
const SIGN_MS = 60 * 60 * 1_000;
const SILENT = "No gateway of its home folder has run for a day.";

export class SqlProcesses implements ProcessStore {
  readonly reports: ProcessReports;
  readonly #db: Db;

  constructor(db: Db) {
    this.reports = new SqlProcessReports(db);
    this.#db = db;
  }

  add(fresh: NewProcess, caps: ProcessCaps, now: number): Promise<ProcessAdded> {
    const { lockName, forUpdate } = this.#db.dialect;
    return this.#db.transaction(async (tx) => {
      if (lockName) await tx.all(lockName, `processes of ${fresh.home}`);
      await readSession(tx, fresh.sessionId, forUpdate("sessions"));
      if ((await live(tx, "session_id = ?", fresh.sessionId)) >= caps.perSession) return "session full";
      if ((await live(tx, "home = ?", fresh.home)) >= caps.inAll) return "all full";
      await insert(tx, fresh, now);
      tx.record({ kind: "processes" });
      return "added";
    });
  }

  async started(id: ProcessId, now: number): Promise<void> {
    const change =
      "UPDATE processes SET state = 'running', started_at = ? WHERE id = ? AND state = 'starting'";
    if ((await this.#db.run(change, now, id)) === 1) this.#db.record({ kind: "processes" });
  }

  async ended(id: ProcessId, end: ProcessEnd, at: number, startedAt?: number): Promise<boolean> {
    const isFirst = await markEnded(this.#db, id, end, at, startedAt);
    if (isFirst) this.#db.record({ kind: "processes" });
    return isFirst;
  }

  async reopen(id: ProcessId, lostAt: number): Promise<boolean> {
    const reopened = await this.#db.run(
      `UPDATE processes SET state = 'running', ended_at = NULL, error = NULL,
         completion = CASE WHEN completion IN ('due', 'said') THEN 'promised' ELSE completion END,
         watched = CASE WHEN check_interval_ms IS NOT NULL OR patterns <> '[]' THEN 1 ELSE 0 END
       WHERE id = ? AND state = 'ended' AND error IS NOT NULL AND ended_at = ?`,
      id,
      lostAt,
    );
    if (reopened === 1) this.#db.record({ kind: "processes" });
    return reopened === 1;
  }

  async leftNothing(id: ProcessId): Promise<void> {
    await this.#db.run("UPDATE processes SET left_behind = 0 WHERE id = ? AND state = 'ended'", id);
  }

  async attend(home: string, now: number): Promise<void> {
    const known = await this.#db.get("SELECT seen_at FROM process_homes WHERE home = ?", home);
    if (known && Math.abs(now - number(known.seen_at)) < SIGN_MS) return;
    await this.#db.transaction(async (tx) => {
      await tx.run(
        `INSERT INTO process_homes (home, seen_at) VALUES (?, ?)
         ON CONFLICT (home) DO UPDATE SET seen_at = excluded.seen_at`,
        home,
        now,
      );
      const silent = now - SILENT_HOME_MS;
      await tx.run("DELETE FROM process_homes WHERE seen_at < ?", silent);
      const lost = await tx.all(
        `SELECT id FROM processes WHERE ${LIVE} AND started_at < ?
           AND home NOT IN (SELECT home FROM process_homes) ${this.#db.dialect.forUpdate("processes")}`,
        silent,
      );
      for (const { id } of lost) await markEnded(tx, text<ProcessId>(id), { kind: "lost", why: SILENT }, now);
      // Nobody of its home comes to forget those.
      await tx.run(
        `DELETE FROM processes WHERE state = 'ended' AND ended_at < ? AND (completion <> 'due' OR ended_at < ?)
           AND home NOT IN (SELECT home FROM process_homes)`,
        silent,
        now - UNSAID_MS,
      );
      if (lost.length > 0) tx.record({ kind: "processes" });
    });
  }

  async find(id: ProcessId): Promise<KeptProcess | null> {
    const row = await this.#db.get(`${SELECT} WHERE id = ?`, id);
    return row ? keptProcess(row) : null;
  }

  async list(which: { sessionId?: SessionId; home?: string }): Promise<KeptProcess[]> {
    const wanted: [string, SqlValue][] = [];
    if (which.sessionId !== undefined) wanted.push(["session_id = ?", which.sessionId]);
    if (which.home !== undefined) wanted.push(["home = ?", which.home]);
    const where = ["1 = 1", ...wanted.map(([condition]) => condition)].join(" AND ");
    const rows = await this.#db.all(
      `${SELECT} WHERE ${where} ORDER BY started_at DESC, id DESC`,
      ...wanted.map(([, value]) => value),
    );
    return rows.map(keptProcess);
  }

  async holds(key: SessionKey, startedAfter: number): Promise<boolean> {
    const sql = `SELECT 1 AS holds FROM routes r JOIN processes p ON p.session_id = r.session_id
      WHERE r.key = ? AND p.${LIVE} AND p.started_at > ? LIMIT 1`;
    return (await this.#db.get(sql, key, startedAfter)) !== undefined;
  }

  forget(home: string, endedBefore: number): Promise<ProcessId[]> {
    return this.#db.transaction(async (tx) => {
      const over = `home = ? AND state = 'ended' AND ended_at < ?
        AND ((completion <> 'due' AND watched = 0 AND coalesce(left_behind, 0) = 0) OR ended_at < ?)`;
      const { forUpdate } = this.#db.dialect;
      const rows = await tx.all(
        `SELECT id FROM processes WHERE ${over} ${forUpdate("processes")}`,
        home,
        endedBefore,
        endedBefore - UNSAID_MS,
      );
      const ids = rows.map((row) => text<ProcessId>(row.id));
      for (const id of ids) await tx.run("DELETE FROM processes WHERE id = ?", id);
      return ids;
    });
  }
}

/** False if its end is known. */
async function markEnded(
  db: Pick<Queries, "run">,
  id: ProcessId,
  end: ProcessEnd,
  at: number,
  startedAt: number | null = null,
): Promise<boolean> {
  const ended = await db.run(
    `UPDATE processes SET state = 'ended', ended_at = ?, exit_code = ?, exit_signal = ?, ended_by = ?,
       left_behind = ?, error = ?, started_at = CASE WHEN state = 'starting' THEN coalesce(?, started_at) ELSE started_at END,
       completion = CASE WHEN completion = 'promised' THEN 'due' ELSE completion END
     WHERE id = ? AND ${LIVE}`,
    at,
    ...endValues(end),
    startedAt,
    id,
  );
  return ended === 1;
}

async function live(tx: Queries, which: string, value: string): Promise<number> {
  const row = await tx.get(`SELECT count(*) AS live FROM processes WHERE ${which} AND ${LIVE}`, value);
  return number(row?.live);
}

async function insert(tx: Queries, fresh: NewProcess, now: number): Promise<void> {
  const { checkIntervalMs, notifyOnComplete, patterns } = fresh.watch;
  await tx.run(
    `INSERT INTO processes (id, home, session_id, source, command, workdir, environment, pty, walled,
       check_interval_ms, patterns, watched, completion, state, started_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'starting', ?)`,
    fresh.id,
    fresh.home,
    fresh.sessionId,
    writeOrigin(fresh.by),
    storableText(fresh.command),
    storableText(fresh.workdir),
    fresh.environment,
    fresh.pty ? 1 : 0,
    fresh.walled ? 1 : 0,
    checkIntervalMs,
    storableText(JSON.stringify(patterns)),
    checkIntervalMs !== null || patterns.length > 0 ? 1 : 0,
    notifyOnComplete ? "promised" : "none",
    now,
  );
}
