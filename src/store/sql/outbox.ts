/** The outbox: what is to be said, in order, and what became of it. States change by compare-and-set. */

import type {
  Account,
  Amended,
  Announcement,
  Delivery,
  Doubtful,
  InboxItem,
  NewDelivery,
  Outbox,
  PendingKind,
  Sending,
  Undelivered,
} from "../../gateway/store.js";
import { DELIVERY_STATES, PURPOSES } from "../../gateway/store.js";
import type { DeliveryId, HandoffId, RunId, SessionId, TurnId } from "../../session/ids.js";
import type { SessionKey } from "../../session/session-key.js";
import { type Address, formatAddress } from "../../session/source.js";
import { escapePart } from "../../util/escape.js";
import { storableText } from "../../util/text.js";
import type { Db, Queries, Row, SqlValue } from "../db.js";
import { announcement } from "./announcements.js";
import { columnsOf } from "./columns.js";
import { noteDelivery } from "./job-results.js";
import { readAttachments, writeList } from "./rows.js";
import { appendIn } from "./transcript.js";
import { address, json, maybe, number, oneOf, source, text } from "./values.js";

/** How many of an address are taken at once: whoever is to be told much does not keep others waiting. */
const SHARE = 20;

/** As the partial indexes say it: without these words SQLite would read everything that was ever sent. */
const OPEN = "FROM outbox o WHERE o.platform = ? AND o.account = ? AND o.state IN ('pending', 'sending')";
const PENDING = `${OPEN} AND o.state = 'pending'`;
const NO_RESULTS = `${PENDING} AND o.run_id IS NULL`;
const REPLIES = `${PENDING} AND o.kind = 'reply' AND o.turn_id IS NOT NULL`;
/** Failed messages of an address of which the chat has not heard, as their index says it. */
const UNTOLD = "FROM outbox o WHERE o.platform = ? AND o.account = ? AND o.address = ? AND o.untold = 1";
/** Takes the time twice: it waits from when it was told to, until it may go. */
const WAITING = `${OPEN} AND o.not_before > 0 AND o.not_before > ? AND o.not_before - o.wait_ms <= ?`;

/** Where each address that has to wait begins to. */
const WAITS = `waiting (address, id) AS (SELECT o.address, min(o.id) ${WAITING} GROUP BY o.address)`;
const MAY_GO = (row: string) =>
  `NOT EXISTS (SELECT 1 FROM waiting w WHERE w.address = ${row}.address AND w.id <= ${row}.id)`;

const oldest = (pending: string) =>
  `WITH ${WAITS} SELECT ${columnsOf("outbox", "o")} ${pending} AND ${MAY_GO("o")} ORDER BY o.id LIMIT ?`;

/**
 * The first few of each address, and of those the very first before the second ones. They are found one by one, from
 * address to address and then from row to row, so that what waits behind them costs nothing.
 */
const firstOfEach = (pending: string) => `WITH RECURSIVE ${WAITS},
  places (address) AS (
    SELECT (SELECT o.address ${pending} ORDER BY o.address LIMIT 1)
    UNION ALL
    SELECT (SELECT o.address ${pending} AND o.address > p.address ORDER BY o.address LIMIT 1)
    FROM places p WHERE p.address IS NOT NULL),
  firsts (address, id, nth) AS (
    SELECT p.address, (SELECT o.id ${pending} AND o.address = p.address ORDER BY o.id LIMIT 1), 1
    FROM places p WHERE p.address IS NOT NULL
    UNION ALL
    SELECT f.address, (SELECT o.id ${pending} AND o.address = f.address AND o.id > f.id ORDER BY o.id LIMIT 1), f.nth + 1
    FROM firsts f WHERE f.id IS NOT NULL AND f.nth < ${SHARE})
  SELECT f.id FROM firsts f WHERE f.id IS NOT NULL AND ${MAY_GO("f")} ORDER BY f.nth, f.id LIMIT ?`;

export class SqlOutbox implements Outbox {
  readonly #db: Db;

  constructor(db: Db) {
    this.#db = db;
  }

  add(deliveries: readonly NewDelivery[], now: number): Promise<void> {
    return this.#db.transaction((tx) => insertDeliveries(tx, deliveries, now));
  }

  say(
    sessionId: SessionId,
    text: string | null,
    deliveries: readonly NewDelivery[],
    now: number,
  ): Promise<boolean> {
    return this.#db.transaction(async (tx) => {
      const [first] = deliveries;
      const sql = "SELECT id FROM outbox WHERE delivery_id = ?";
      if (first && (await tx.get(sql, first.deliveryId))) return false;
      const messages = text === null ? [] : [{ role: "assistant" as const, content: text }];
      if (messages.length > 0) await appendIn(tx, { sessionId, messages, touch: false, now });
      await insertDeliveries(tx, deliveries, now);
      return true;
    });
  }

  async pending(
    { platform, account }: Account,
    limit: number,
    due = Number.MAX_SAFE_INTEGER,
    which: PendingKind = "all",
  ): Promise<Delivery[]> {
    const mine = [platform, account];
    const pending = which === "all" ? PENDING : NO_RESULTS;
    const first = await this.#db.all(oldest(pending), ...mine, due, due, ...mine, limit);
    if (first.length < limit) return first.map(deliveryOf); // That is all there is: nothing to share out.
    const rows = await this.#db.all(
      `SELECT ${columnsOf("outbox", "o")} FROM (${firstOfEach(pending)}) AS n JOIN outbox o ON o.id = n.id ORDER BY o.id`,
      ...mine,
      due,
      due,
      ...mine,
      ...mine,
      ...mine,
      ...mine,
      limit,
    );
    return rows.map(deliveryOf);
  }

  async nextDue(account: Account, now: number): Promise<number | null> {
    const row = await this.#db.get(
      `SELECT o.not_before AS due ${WAITING} AND o.state = 'pending' ORDER BY o.not_before LIMIT 1`,
      account.platform,
      account.account,
      now,
      now,
    );
    return row ? number(row.due) : null;
  }

  async release({ platform, account }: Account, holder: string): Promise<void> {
    const left =
      "UPDATE outbox SET owner = '' WHERE platform = ? AND account = ? AND state = 'pending' AND owner = ?";
    if ((await this.#db.run(left, platform, account, holder)) > 0)
      this.#db.record({ kind: "outbox", platform, account });
  }

  async sending(id: number, holder: string): Promise<boolean> {
    const taken = await this.#db.run(
      `UPDATE outbox SET state = 'sending', owner = ?, attempts = attempts + 1
       WHERE id = ? AND state = 'pending' AND NOT EXISTS (SELECT 1 FROM accounts a
         WHERE a.platform = outbox.platform AND a.account = outbox.account AND a.owner <> ?)`,
      holder,
      id,
      holder,
    );
    return taken === 1;
  }

  async sent(which: Sending, messageId: string, now: number): Promise<void> {
    const change = "state = 'sent', message_id = ?, sent_at = ?, error = NULL";
    await this.#became(which, "sent", change, messageId, now);
  }

  async retry(which: Sending, waitMs: number, error: string, now: number): Promise<void> {
    const change = "state = 'pending', not_before = ?, wait_ms = ?, error = ?";
    await became(this.#db, which, change, now + waitMs, waitMs, reason(error));
  }

  async fail(which: Sending, error: string, isMissed: boolean, now: number): Promise<void> {
    const change = "state = 'failed', error = ?, untold = ?, failed_at = ?";
    await this.#became(which, "failed", change, reason(error), isMissed ? 1 : 0, now);
  }

  async tellFailed(
    { platform, account }: Account,
    address: Address,
    notice: (count: number, error: string) => NewDelivery,
    now: number,
  ): Promise<void> {
    const place = [platform, account, formatAddress(address)];
    const sql = `SELECT o.id, o.error ${UNTOLD} ORDER BY o.id DESC`;
    if (!(await this.#db.get(`${sql} LIMIT 1`, ...place))) return; // Nearly always.
    await this.#db.transaction(async (tx) => {
      // Locked before they are counted: another process may tell them at the same moment.
      const rows = await tx.all(`${sql} ${this.#db.dialect.forUpdate("o")}`, ...place);
      const [last] = rows;
      if (!last) return;
      for (const { id } of rows) await tx.run("UPDATE outbox SET untold = 0 WHERE id = ?", number(id));
      await insertDeliveries(tx, [notice(rows.length, maybe(last.error, text) ?? "")], now);
    });
  }

  async undelivered(
    since: number,
    where: (Account & { readonly address: Address }) | null,
  ): Promise<Undelivered> {
    const there = where ? " AND platform = ? AND account = ? AND address = ?" : "";
    const failed = `FROM outbox WHERE state = 'failed' AND failed_at >= ?${there}`;
    const values = where ? [where.platform, where.account, formatAddress(where.address)] : [];
    const row = await this.#db.get(`SELECT count(*) AS count ${failed}`, since, ...values);
    const last = await this.#db.get(
      `SELECT address, error, failed_at ${failed} ORDER BY failed_at DESC, id DESC LIMIT 1`,
      since,
      ...values,
    );
    if (!last) return { count: 0, last: null };
    const at = number(last.failed_at);
    return {
      count: number(row?.count),
      last: { to: text(last.address), error: maybe(last.error, text) ?? "", at },
    };
  }

  doubt(which: Sending, error: string, doubt: NewDelivery | null, now: number): Promise<void> {
    return this.#db.transaction(async (tx) => {
      if (!(await became(tx, which, "state = 'unknown', error = ?", reason(error)))) return;
      if (which.runId) await noteDelivery(tx, which.runId, which.id, "unknown", reason(error));
      if (!doubt) return;
      const { address, account } = doubt;
      const place = [address.platform, account, formatAddress(address)];
      const waits = await tx.get(
        `SELECT 1 AS waits ${PENDING} AND o.address = ? AND o.kind = 'doubt'`,
        ...place,
      );
      if (!waits) await insertDeliveries(tx, [doubt], now);
    });
  }

  /** If it is the result of a job's run, that says so too. */
  async #became(
    which: Sending,
    state: "sent" | "failed",
    change: string,
    ...values: SqlValue[]
  ): Promise<void> {
    const { runId, id } = which;
    if (!runId) return void (await became(this.#db, which, change, ...values));
    await this.#db.transaction(async (tx) => {
      const error = state === "failed" ? String(values[0]) : null;
      if (await became(tx, which, change, ...values)) await noteDelivery(tx, runId, id, state, error);
    });
  }

  async unsentTurn({ platform, account }: Account, sessionId: SessionId): Promise<TurnId | null> {
    const row = await this.#db.get(
      `SELECT o.turn_id ${REPLIES} AND o.session_id = ? ORDER BY o.id DESC LIMIT 1`,
      platform,
      account,
      sessionId,
    );
    return row ? text<TurnId>(row.turn_id) : null;
  }

  drop({ platform, account }: Account, turnId: TurnId): Promise<DeliveryId[]> {
    return this.#db.transaction(async (tx) => {
      const sql = `SELECT o.id, o.delivery_id ${REPLIES} AND o.turn_id = ? ORDER BY o.id`;
      const dropped: DeliveryId[] = [];
      for (const row of await tx.all(sql, platform, account, turnId)) {
        const change = "UPDATE outbox SET state = 'dropped' WHERE id = ? AND state = 'pending'";
        if ((await tx.run(change, number(row.id))) === 1) dropped.push(text<DeliveryId>(row.delivery_id));
      }
      return dropped;
    });
  }

  async isClear({ platform, account }: Account, address: Address): Promise<boolean> {
    const sql = `SELECT 1 AS waits ${OPEN} AND o.address = ? LIMIT 1`;
    return (await this.#db.get(sql, platform, account, formatAddress(address))) === undefined;
  }

  async sentAt(deliveryIds: readonly DeliveryId[]): Promise<number | null> {
    const row = await this.#db.get(
      `SELECT count(*) AS sent, max(sent_at) AS at FROM outbox
       WHERE state = 'sent' AND delivery_id IN (${deliveryIds.map(() => "?").join(", ")})`,
      ...deliveryIds,
    );
    return row && number(row.sent) === deliveryIds.length ? maybe(row.at, number) : null;
  }

  async messageIdOf(deliveryId: DeliveryId): Promise<string | null> {
    const row = await this.#db.get(
      "SELECT message_id FROM outbox WHERE state = 'sent' AND delivery_id = ?",
      deliveryId,
    );
    return row ? maybe(row.message_id, text) : null;
  }

  async doubtful({ platform, account }: Account, address: Address, since: number): Promise<Doubtful> {
    const row = await this.#db.get(
      `SELECT count(*) AS count, max(created_at) AS last FROM outbox
       WHERE state = 'unknown' AND created_at >= ? AND platform = ? AND account = ? AND address = ?`,
      since,
      platform,
      account,
      formatAddress(address),
    );
    return { count: number(row?.count), last: maybe(row?.last, number) ?? 0 };
  }

  async answerAs(
    { platform, account }: Account,
    { source: { chatId }, messageId }: Amended,
  ): Promise<Pick<InboxItem, "key" | "source"> | null> {
    const chat = formatAddress({ platform, chatId });
    const row = await this.#db.get(
      `SELECT t.key, i.source FROM outbox o JOIN turns t ON t.id = o.turn_id JOIN inbox i ON i.id = t.inbox_id
       WHERE o.turn_id IS NOT NULL AND o.message_id = ? AND o.address >= ? AND o.address < ? AND o.account = ?
         AND t.address = o.address AND i.chat = ?
         AND EXISTS (SELECT 1 FROM routes r WHERE r.key = t.key AND r.session_id = t.session_id)
         AND NOT EXISTS (SELECT 1 FROM turns n WHERE n.session_id = t.session_id AND n.inbox_id > t.inbox_id)`,
      storableText(messageId),
      chat,
      `${chat};`, // The sign after the colon, so that the threads of the chat come before it.
      account,
      escapePart(chatId),
    );
    return row ? { key: text<SessionKey>(row.key), source: source(row.source) } : null;
  }

  announcement(handoffId: HandoffId, to: Address): Promise<Announcement | null> {
    return announcement(this.#db, handoffId, to);
  }

  async interrupted(account: Account): Promise<Delivery[]> {
    const rows = await this.#db.all(
      `SELECT ${columnsOf("outbox")} FROM outbox WHERE platform = ? AND account = ? AND state = 'sending' ORDER BY id`,
      account.platform,
      account.account,
    );
    return rows.map(deliveryOf);
  }
}

/** What became of a delivery, if it is still being sent by that process. */
async function became(
  db: Queries,
  { id, holder, handoffId }: Sending,
  change: string,
  ...values: SqlValue[]
): Promise<boolean> {
  const sql = `UPDATE outbox SET ${change} WHERE id = ? AND owner = ? AND state = 'sending'`;
  if ((await db.run(sql, ...values, id, holder)) !== 1) return false;
  if (handoffId) db.record({ kind: "handoffs" }); // It may have waited for this delivery.
  return true;
}

export async function insertDeliveries(
  tx: Queries,
  deliveries: readonly NewDelivery[],
  now: number,
): Promise<void> {
  for (const delivery of deliveries) {
    const { deliveryId, account, holder, address, purpose, text, sessionId, shown } = delivery;
    const { turnId, handoffId, runId, replyTo, files, buttons } = delivery;
    await tx.run(
      `INSERT INTO outbox (delivery_id, platform, account, owner, address, kind, text, session_id, turn_id,
         handoff_id, run_id, reply_to, attachments, buttons, state, created_at, sent_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      deliveryId,
      address.platform,
      account,
      holder,
      formatAddress(address),
      purpose,
      storableText(text),
      sessionId,
      turnId ?? null,
      handoffId ?? null,
      runId ?? null,
      replyTo ?? null,
      writeList(files),
      buttons ? JSON.stringify(buttons) : null,
      shown ? "sent" : "pending",
      now,
      shown ? now : null,
    );
    if (!shown) tx.record({ kind: "outbox", platform: address.platform, account });
  }
}

function deliveryOf(row: Row): Delivery {
  const { attachments: files } = readAttachments(row);
  return {
    id: number(row.id),
    deliveryId: text<DeliveryId>(row.delivery_id),
    account: text(row.account),
    holder: text(row.owner),
    address: address(row.address),
    purpose: oneOf(row.kind, PURPOSES),
    handoffId: maybe(row.handoff_id, text<HandoffId>),
    runId: maybe(row.run_id, number<RunId>),
    text: text(row.text),
    sessionId: maybe(row.session_id, text<SessionId>),
    turnId: maybe(row.turn_id, text<TurnId>),
    replyTo: maybe(row.reply_to, text),
    ...(files ? { files } : {}),
    ...(row.buttons === null ? {} : { buttons: json<NonNullable<NewDelivery["buttons"]>>(row.buttons) }),
    state: oneOf(row.state, DELIVERY_STATES),
    attempts: number(row.attempts),
    notBefore: number(row.not_before),
    createdAt: number(row.created_at),
  };
}

function reason(error: string): string {
  return storableText(error).slice(0, 500).toWellFormed();
}
