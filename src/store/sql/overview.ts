/** What a gateway has in hand, each part read from an index of what is open. */
import { INBOX_KINDS, MADE_BY } from "../../gateway/inbox-item.js";
import type { OpenItem, Overview, WaitingSince, WorkingTurn } from "../../gateway/overview.js";
import { InputError } from "../../session/errors.js";
import type { Handoff } from "../../session/handoff.js";
import type { InboxId, SessionId } from "../../session/ids.js";
import type { Page } from "../../session/store.js";
import type { Db, Row } from "../db.js";
import { columnsOf } from "./columns.js";
import { readHandoffs } from "./handoff-rows.js";
import { marks } from "./of-person.js";
import { sessionRow } from "./rows.js";
import { maybe, number, oneOf, sourceOfAnyPlatform, text } from "./values.js";

/** As the partial indexes say it. */
const OPEN_ITEMS = "FROM inbox WHERE state IN ('waiting', 'running')";
const OPEN_DELIVERIES = "FROM outbox WHERE state IN ('pending', 'sending')";

export class SqlOverview implements Overview {
  readonly #db: Db;

  constructor(db: Db) {
    this.#db = db;
  }

  async working(sessionIds: readonly SessionId[]): Promise<ReadonlySet<SessionId>> {
    if (sessionIds.length === 0) return new Set();
    const rows = await this.#db.all(
      `SELECT session_id FROM turns WHERE state = 'running' AND session_id IN (${marks(sessionIds)})`,
      ...sessionIds,
    );
    return new Set(rows.map((row) => text<SessionId>(row.session_id)));
  }

  async turns(limit: number): Promise<WorkingTurn[]> {
    const rows = await this.#db.all(
      `SELECT t.started_at AS begun_at, t.owner AS holder, t.stop_asked, ${columnsOf("sessions", "s")}
       FROM turns t JOIN sessions s ON s.id = t.session_id WHERE t.state = 'running' ORDER BY t.started_at, t.id LIMIT ?`,
      limit,
    );
    return rows.map((row) => ({
      entry: sessionRow(row).entry,
      startedAt: number(row.begun_at),
      holder: text(row.holder),
      isStopping: row.stop_asked !== null,
    }));
  }

  async open(limit: number, cursor?: string): Promise<Page<OpenItem>> {
    const rows = await this.#db.all(
      `SELECT id, kind, source, said_by, made_by, text, received_at, state ${OPEN_ITEMS} AND id > ? ORDER BY id LIMIT ?`,
      cursor === undefined ? 0 : readIdCursor(cursor),
      limit + 1,
    );
    return pageOfRows(rows, limit, openItem, ({ id }) => `${id}`);
  }

  async waitingSince(): Promise<WaitingSince> {
    const row = await this.#db.get(
      `SELECT (SELECT min(received_at) ${OPEN_ITEMS} AND state = 'waiting') AS item,
         (SELECT min(created_at) ${OPEN_DELIVERIES}) AS delivery`,
    );
    return {
      inbox: maybe(row?.item ?? null, number),
      outbox: maybe(row?.delivery ?? null, number),
    };
  }

  async lastHandoffs(sessionIds: readonly SessionId[], now: number): Promise<Handoff[]> {
    if (sessionIds.length === 0) return [];
    const isLast = `NOT EXISTS (SELECT 1 FROM handoffs n
      WHERE n.session_id = h.session_id AND (n.requested_at, n.id) > (h.requested_at, h.id))`;
    const which = `h.session_id IN (${marks(sessionIds)}) AND ${isLast} ORDER BY h.requested_at DESC, h.id DESC`;
    return readHandoffs(this.#db, this.#db.dialect, now, which, ...sessionIds);
  }

  async bytes(): Promise<number> {
    return number((await this.#db.get(this.#db.dialect.storeBytes))?.bytes);
  }
}

function openItem(row: Row): OpenItem {
  return {
    id: number<InboxId>(row.id),
    kind: oneOf(row.kind, INBOX_KINDS),
    made: maybe(row.made_by ?? null, (value) => oneOf(value, MADE_BY)),
    source: sourceOfAnyPlatform(row.source),
    by: maybe(row.said_by ?? null, sourceOfAnyPlatform),
    text: text(row.text),
    at: number(row.received_at),
    isBegun: row.state === "running",
  };
}

/** One more row than the page has says that there are more. */
export function pageOfRows<Item>(
  rows: readonly Row[],
  limit: number,
  read: (row: Row) => Item,
  cursorAt: (item: Item) => string,
): Page<Item> {
  const items = rows.slice(0, limit).map(read);
  const last = rows.length > limit ? items.at(-1) : undefined;
  return { items, nextCursor: last ? cursorAt(last) : null };
}

export function readIdCursor(cursor: string): number {
  if (/^\d{1,15}$/.test(cursor)) return Number(cursor);
  throw new InputError("invalid_cursor", "This cursor is not one that the list gave out; start without it.");
}
