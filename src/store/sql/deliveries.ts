/** The outbox for somebody who decides what becomes of what was not sent. */
import type {
  Deliveries,
  DeliveryDecided,
  DeliveryDecision,
  DeliveryList,
  ListedDelivery,
} from "../../gateway/deliveries.js";
import { DELIVERY_STATES, PURPOSES } from "../../gateway/store.js";
import type { RunId } from "../../session/ids.js";
import type { Page } from "../../session/store.js";
import type { Db, Queries, Row } from "../db.js";
import { waitAgain } from "./job-results.js";
import { pageOfRows, readIdCursor } from "./overview.js";
import { maybe, number, oneOf, text } from "./values.js";

/** As their partial indexes say it. There are few of these, so they need no order of their own. */
const STATES: Readonly<Record<DeliveryList, string>> = {
  waiting: "o.state IN ('pending', 'sending')",
  failed: "o.state = 'failed'",
  unknown: "o.state = 'unknown'",
};

export class SqlDeliveries implements Deliveries {
  readonly #db: Db;

  constructor(db: Db) {
    this.#db = db;
  }

  async list(which: DeliveryList, limit: number, cursor?: string): Promise<Page<ListedDelivery>> {
    const [isAfter, order] = which === "waiting" ? [">", "ASC"] : ["<", "DESC"];
    const from = which === "waiting" ? 0 : Number.MAX_SAFE_INTEGER;
    const rows = await this.#db.all(
      `SELECT o.id, o.state, o.address, o.kind, o.text, o.created_at, o.attempts, o.error, s.owner, s.lane_owner, s.chat
       FROM outbox o LEFT JOIN sessions s ON s.id = o.session_id
       WHERE ${STATES[which]} AND o.id ${isAfter} ? ORDER BY o.id ${order} LIMIT ?`,
      cursor === undefined ? from : readIdCursor(cursor),
      limit + 1,
    );
    return pageOfRows(rows, limit, listedDelivery, ({ id }) => `${id}`);
  }

  decide(id: number, decision: DeliveryDecision): Promise<DeliveryDecided> {
    return this.#db.transaction((tx) => (decision === "send" ? sendAgain(tx, id) : dropUnsent(tx, id)));
  }
}

const UNDECIDED = "id = ? AND state IN ('failed', 'unknown')";

/** Whoever has its account sends it: it belongs to no process. */
async function sendAgain(tx: Queries, id: number): Promise<DeliveryDecided> {
  const row = await tx.write(
    `UPDATE outbox SET state = 'pending', owner = '', attempts = 0, not_before = 0, wait_ms = 0, error = NULL, untold = 0,
       failed_at = NULL WHERE ${UNDECIDED} AND handoff_id IS NULL RETURNING platform, account, run_id`,
    id,
  );
  if (!row) return (await tx.get(`SELECT id FROM outbox WHERE ${UNDECIDED}`, id)) ? "handoff" : "changed";
  const run = maybe(row.run_id ?? null, number<RunId>);
  if (run !== null) await waitAgain(tx, run, id);
  tx.record({ kind: "outbox", platform: text(row.platform), account: text(row.account) });
  return "done";
}

async function dropUnsent(tx: Queries, id: number): Promise<DeliveryDecided> {
  const dropped = await tx.run(`UPDATE outbox SET state = 'dropped', untold = 0 WHERE ${UNDECIDED}`, id);
  return dropped === 1 ? "done" : "changed";
}

function listedDelivery(row: Row): ListedDelivery {
  const isOfSession = row.owner !== null;
  return {
    id: number(row.id),
    state: oneOf(row.state, DELIVERY_STATES),
    to: text(row.address),
    purpose: oneOf(row.kind, PURPOSES),
    text: text(row.text),
    createdAt: number(row.created_at),
    attempts: number(row.attempts),
    error: maybe(row.error ?? null, text),
    belongs: isOfSession
      ? { owner: text(row.owner), laneOwner: text(row.lane_owner), chat: text(row.chat) }
      : null,
  };
}
