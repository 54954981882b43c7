/**
 * What is said about processes. A report and what it puts into the inbox and the outbox are one transaction, which holds
 * the session's row: so the session stays in its place meanwhile, and what waits there moves along with it later.
 */
import type {
  Account,
  PlacedProcess,
  ProcessReports,
  ReportEffects,
  ReportStep,
} from "../../gateway/store.js";
import type { KeptProcess } from "../../process/store.js";
import type { SessionKey } from "../../session/session-key.js";
import type { Db, Queries, Row } from "../db.js";
import { columnsOf } from "./columns.js";
import { insertItem } from "./inbox.js";
import { insertDeliveries } from "./outbox.js";
import { keptProcess } from "./process-rows.js";
import { maybe, number, sourceOfAnyPlatform, text } from "./values.js";

const LANES = "SELECT count(*) AS lanes FROM routes r WHERE r.session_id";

/** The account of the last turn that the session had on its platform. */
const ACCOUNT = `(SELECT i.account FROM turns t JOIN inbox i ON i.id = t.inbox_id
  WHERE t.session_id = s.id AND i.platform = s.platform ORDER BY t.inbox_id DESC LIMIT 1)`;

/** A cross join, because SQLite would begin with all sessions of a platform. */
const PLACED = `SELECT ${columnsOf("processes", "p")}, s.key AS lane_key, s.origin AS lane_origin,
  ${ACCOUNT} AS lane_account, (${LANES} = s.id) AS lanes
  FROM processes p CROSS JOIN sessions s WHERE s.id = p.session_id`;

export class SqlProcessReports implements ProcessReports {
  readonly #db: Db;

  constructor(db: Db) {
    this.#db = db;
  }

  async due({ platform, account }: Account, limit: number): Promise<PlacedProcess[]> {
    const rows = await this.#db.all(
      `${PLACED} AND p.completion = 'due' AND s.platform = ? AND coalesce(${ACCOUNT}, ?) = ?
       ORDER BY p.ended_at, p.id LIMIT ?`,
      platform,
      account,
      account,
      limit,
    );
    return rows.map(placedProcess);
  }

  async watched(home: string): Promise<PlacedProcess[]> {
    const sql = `${PLACED} AND p.home = ? AND p.watched = 1 ORDER BY p.started_at, p.id`;
    return (await this.#db.all(sql, home)).map(placedProcess);
  }

  report(
    seen: PlacedProcess,
    step: ReportStep,
    { wake, deliveries = [] }: ReportEffects,
    now: number,
  ): Promise<boolean> {
    return this.#db.transaction(async (tx) => {
      if (!(await this.#isInPlace(tx, seen)) || !(await take(tx, seen.process, step, now))) return false;
      if (wake) await insertItem(tx, wake.item, wake.holder, now);
      await insertDeliveries(tx, deliveries, now);
      tx.record({ kind: "processes" });
      return true;
    });
  }

  /** Holds the session until the transaction ends. */
  async #isInPlace(tx: Queries, { process, place }: PlacedProcess): Promise<boolean> {
    const { sessionId } = process;
    const { forUpdate } = this.#db.dialect;
    const session = await tx.get(`SELECT key FROM sessions WHERE id = ? ${forUpdate("sessions")}`, sessionId);
    const lanes = await tx.get(`${LANES} = ?`, sessionId);
    return session?.key === place.key && number(lanes?.lanes) > 0 === place.isCurrent;
  }
}

/** After a storm of matches nobody watches for more of them; instead the end of the process is told, once. */
const AFTER_STORM = `patterns = '[]', watched = CASE WHEN check_interval_ms IS NULL THEN 0 ELSE watched END,
  completion = CASE WHEN completion <> 'none' THEN completion WHEN state = 'ended' THEN 'due' ELSE 'promised' END`;

/** False if this step was taken before. */
async function take(
  tx: Queries,
  { id, endedAt }: KeptProcess,
  step: ReportStep,
  now: number,
): Promise<boolean> {
  if (step.kind === "completion") {
    // One that was thought lost may have another end by now.
    const said =
      "UPDATE processes SET completion = 'said' WHERE id = ? AND completion = 'due' AND ended_at = ?";
    return (await tx.run(said, id, endedAt)) === 1;
  }
  const { from, through } = step;
  if (step.kind === "matches") {
    const matched = `UPDATE processes SET matched_through = ?, matched_at = ? ${step.isStorm ? `, ${AFTER_STORM}` : ""}
      WHERE id = ? AND matched_through = ? AND watched = 1 AND patterns <> '[]'`;
    return (await tx.run(matched, through, now, id, from)) === 1;
  }
  const reported = `UPDATE processes SET reported_through = ? ${step.isLast ? ", watched = 0" : ""}
    WHERE id = ? AND reported_through = ? AND watched = 1`;
  return (await tx.run(reported, through, id, from)) === 1;
}

function placedProcess(row: Row): PlacedProcess {
  return {
    process: keptProcess(row),
    place: {
      key: text<SessionKey>(row.lane_key),
      source: sourceOfAnyPlatform(row.lane_origin),
      account: maybe(row.lane_account, text),
      isCurrent: number(row.lanes) > 0,
    },
  };
}
