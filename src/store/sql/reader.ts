/** Finding sessions: by id, by key, by title, in pages; always within what the viewer may see. */

import { ownersFor, type Viewer } from "../../session/access.js";
import { InputError } from "../../session/errors.js";
import type { SessionId } from "../../session/ids.js";
import { LOCAL } from "../../session/platform.js";
import type { ExpiryRule } from "../../session/reset-policy.js";
import type { SessionEntry } from "../../session/session.js";
import type { SessionKey } from "../../session/session-key.js";
import type { EndedSession, ListFilter, OccupiedLane, Page, SessionReader } from "../../session/store.js";
import { cleanLine } from "../../util/text.js";
import type { Db, Row, SqlValue } from "../db.js";
import { columnsOf } from "./columns.js";
import { placeOf } from "./lanes.js";
import { PRUNABLE } from "./routes.js";
import { hasActiveHandoff, hasRunningTurn, sessionRow } from "./rows.js";
import { number, text } from "./values.js";

type FindCondition = readonly [sql: string, params: readonly SqlValue[]];

/** An untitled session by the name of its chat, as lists show it: the one that the chat has now, or else any. */
function chatNamed(name: string): readonly FindCondition[] {
  if (name === "") return [];
  const untitled = "s.title IS NULL AND s.platform <> ? AND s.display_name = ?";
  return [
    [`${untitled} AND EXISTS (SELECT 1 FROM routes r WHERE r.session_id = s.id)`, [LOCAL, name]],
    [untitled, [LOCAL, name]],
  ];
}

export class SqlReader implements SessionReader {
  readonly #db: Db;

  constructor(db: Db) {
    this.#db = db;
  }

  async get(sessionId: SessionId): Promise<SessionEntry | null> {
    const row = await this.#db.get(`SELECT ${columnsOf("sessions")} FROM sessions WHERE id = ?`, sessionId);
    return row ? sessionRow(row).entry : null;
  }

  async lanesIn(chat: string): Promise<OccupiedLane[]> {
    const rows = await this.#db.all(
      `SELECT ${columnsOf("routes")} FROM routes WHERE chat = ? ORDER BY key`,
      chat,
    );
    return rows.map((row) => ({ ...placeOf(row), sessionId: text<SessionId>(row.session_id) }));
  }

  async current(key: SessionKey): Promise<SessionEntry | null> {
    const row = await this.#db.get(
      `SELECT ${columnsOf("sessions", "s")} FROM routes r JOIN sessions s ON s.id = r.session_id WHERE r.key = ?`,
      key,
    );
    return row ? sessionRow(row).entry : null;
  }

  async list(filter: ListFilter, viewer: Viewer, now: number): Promise<Page<SessionEntry>> {
    const { limit = 50, platform, activeWithinMs, cursor } = filter;
    // One branch for each index that can give the order, so that no more is read than is shown.
    const branches = accessBranches(viewer).map((access) => {
      const where = new Conditions(access);
      if (activeWithinMs !== undefined) where.add("s.updated_at >= ?", now - activeWithinMs);
      if (platform !== undefined) where.add("s.platform = ?", platform);
      if (cursor !== undefined) where.add("(s.updated_at, s.id) < (?, ?)", ...readCursor(cursor));
      return where;
    });
    const pages = branches.map(
      ({ sql }) =>
        `SELECT ${columnsOf("sessions", "page")} FROM (SELECT ${columnsOf("sessions", "s")} FROM sessions s WHERE ${sql} ORDER BY s.updated_at DESC, s.id DESC LIMIT ?) AS page`,
    );
    const rows = await this.#db.all(
      `${pages.join(" UNION ALL ")} ORDER BY updated_at DESC, id DESC LIMIT ?`,
      ...branches.flatMap(({ params }) => [...params, limit + 1]),
      limit + 1,
    );
    return pageOf(rows, limit);
  }

  async idleSince(rule: ExpiryRule, limit: number, cursor?: string): Promise<Page<SessionEntry>> {
    const [idle, id] = cursor === undefined ? [Number.MIN_SAFE_INTEGER, ""] : readCursor(cursor);
    const rows = await this.#db.all(
      `SELECT ${columnsOf("sessions", "s")} FROM sessions s WHERE s.ended_at IS NULL AND s.platform = ? AND s.chat_type = ?
         AND s.updated_at < ? AND (s.updated_at, s.id) > (?, ?) ORDER BY s.updated_at, s.id LIMIT ?`,
      rule.platform,
      rule.chatType,
      rule.before,
      idle,
      id,
      limit + 1,
    );
    return pageOf(rows, limit);
  }

  async find(which: string, viewer: Viewer, limit: number): Promise<SessionEntry[]> {
    const conditions: readonly FindCondition[] = [
      ["s.id = ?", [which]],
      ["s.title = ?", [cleanLine(which)]],
      ["s.id >= ? AND s.id < ?", [which, `${which}\u{10ffff}`]],
    ];
    const named = which.trim() === "" ? [] : await this.#first(conditions, viewer, limit);
    if (named.length > 0) return named;
    const titled = await this.#titledLike(folded(cleanLine(which)), viewer, limit);
    return titled.length > 0 ? titled : this.#first(chatNamed(cleanLine(which)), viewer, limit);
  }

  /** What the first of the conditions finds that finds anything. */
  async #first(conditions: readonly FindCondition[], viewer: Viewer, limit: number): Promise<SessionEntry[]> {
    for (const [sql, params] of conditions) {
      const where = new Conditions(accessCondition(viewer));
      where.add(sql, ...params);
      const rows = await this.#db.all(
        `SELECT ${columnsOf("sessions", "s")} FROM sessions s WHERE ${where.sql} ORDER BY s.id DESC LIMIT ?`,
        ...where.params,
        limit,
      );
      if (rows.length > 0) return rows.map((row) => sessionRow(row).entry);
    }
    return [];
  }

  /** By the whole title or else a part of it, in any case. Compared here: databases fold letters differently. */
  async #titledLike(wanted: string, viewer: Viewer, limit: number): Promise<SessionEntry[]> {
    if (wanted === "") return [];
    const where = new Conditions(accessCondition(viewer));
    where.add("s.title IS NOT NULL");
    const titled = await this.#db.all(
      `SELECT s.id, s.title FROM sessions s WHERE ${where.sql} ORDER BY s.id DESC`,
      ...where.params,
    );
    const fitting = titled.filter(({ title }) => folded(text(title)).includes(wanted));
    const whole = fitting.filter(({ title }) => folded(text(title)) === wanted);
    const ids = (whole.length > 0 ? whole : fitting).slice(0, limit).map(({ id }) => text<SessionId>(id));
    const found = await Promise.all(ids.map((id) => this.get(id)));
    return found.flatMap((entry) => entry ?? []);
  }

  async alone(beginnings: readonly string[], viewer: Viewer): Promise<ReadonlyMap<string, string>> {
    if (beginnings.length === 0) return new Map();
    const { sql, params } = accessCondition(viewer);
    const ids = `FROM sessions s WHERE ${sql} AND s.id >= wanted.column1 AND s.id < wanted.column2`;
    const rows = await this.#db.all(
      `SELECT (SELECT min(s.id) ${ids}) AS first, (SELECT max(s.id) ${ids}) AS last, wanted.column1 AS beginning,
         (SELECT count(*) FROM sessions s WHERE ${sql} AND s.title = wanted.column1) AS titles
       FROM (VALUES ${beginnings.map(() => "(?, ?)").join(", ")}) AS wanted`,
      ...params,
      ...params,
      ...params,
      ...beginnings.flatMap((beginning) => [beginning, `${beginning}\u{10ffff}`]),
    );
    const named = rows.filter(
      ({ first, last, titles }) => first !== null && first === last && number(titles) === 0,
    );
    return new Map(named.map(({ beginning, first }) => [text(beginning), text(first)]));
  }

  async holdsOn(sessionId: SessionId): Promise<("turn" | "handoff")[]> {
    return [
      ...((await hasRunningTurn(this.#db, sessionId)) ? (["turn"] as const) : []),
      ...((await hasActiveHandoff(this.#db, sessionId)) ? (["handoff"] as const) : []),
    ];
  }

  async count(atMost: number): Promise<number> {
    const row = await this.#db.get(
      "SELECT count(*) AS n FROM (SELECT 1 FROM sessions LIMIT ?) AS capped",
      atMost,
    );
    return number(row?.n);
  }

  async prunable(endedBefore: number): Promise<{ sessions: number; messages: number }> {
    const row = await this.#db.get(
      `SELECT count(*) AS sessions, coalesce(sum(next_seq - 1), 0) AS messages FROM sessions s WHERE ${PRUNABLE}`,
      endedBefore,
    );
    return { sessions: number(row?.sessions), messages: number(row?.messages) };
  }

  async ended(before: number, after: SessionEntry | null, limit: number): Promise<EndedSession[]> {
    const rows = await this.#db.all(
      `SELECT ${columnsOf("sessions", "s")},
         (SELECT coalesce(sum(${BYTES}), 0) FROM messages m WHERE m.session_id = s.id) AS bytes
       FROM sessions s WHERE ${PRUNABLE} AND (s.ended_at > ? OR (s.ended_at = ? AND s.id > ?))
       ORDER BY s.ended_at, s.id LIMIT ?`,
      before,
      after?.endedAt ?? Number.MIN_SAFE_INTEGER,
      after?.endedAt ?? Number.MIN_SAFE_INTEGER,
      after?.sessionId ?? "",
      limit,
    );
    return rows.map((row) => ({ entry: sessionRow(row).entry, bytes: number(row.bytes) }));
  }

  async messageBytes(afterId: number, range: number): Promise<{ bytes: number; next: number | null }> {
    const through = afterId + range;
    const row = await this.#db.get(
      `SELECT (SELECT coalesce(sum(${BYTES}), 0) FROM messages m WHERE m.id > ? AND m.id <= ?) AS bytes,
         (SELECT coalesce(max(id), 0) FROM messages) AS last`,
      afterId,
      through,
    );
    return { bytes: number(row?.bytes), next: number(row?.last) > through ? through : null };
  }
}

/** One more row than the page has says that there are more. */
function pageOf(rows: readonly Row[], limit: number): Page<SessionEntry> {
  const items = rows.slice(0, limit).map((row) => sessionRow(row).entry);
  const last = rows.length > limit ? items.at(-1) : undefined;
  return { items, nextCursor: last ? `${last.updatedAt}~${last.sessionId}` : null };
}
/** The texts of a message `m`, in bytes. */
const BYTES =
  "octet_length(m.content) + coalesce(octet_length(m.tool_calls), 0) + coalesce(octet_length(m.reasoning), 0)";

/** A WHERE clause in the making. */
export class Conditions {
  readonly #parts: string[] = [];
  readonly params: SqlValue[] = [];

  constructor(first: Condition) {
    this.add(first.sql, ...first.params);
  }

  add(sql: string, ...params: SqlValue[]): void {
    this.#parts.push(sql);
    this.params.push(...params);
  }

  get sql(): string {
    return this.#parts.join(" AND ");
  }
}

interface Condition {
  readonly sql: string;
  readonly params: SqlValue[];
}

/** `mayAccess` as SQL over the sessions table `s`. */
export function accessCondition(viewer: Viewer): Condition {
  const branches = accessBranches(viewer);
  return {
    sql: `(${branches.map(({ sql }) => sql).join(" OR ")})`,
    params: branches.flatMap(({ params }) => params),
  };
}

/** The same in parts that exclude each other: what is theirs, and what moved into a lane of theirs. */
function accessBranches(viewer: Viewer): Condition[] {
  if (viewer.kind === "owner") return [{ sql: "1 = 1", params: [] }];
  const owners = ownersFor(viewer);
  if (owners.length === 0) return [{ sql: "1 = 0", params: [] }];
  const marks = owners.map(() => "?").join(", ");
  const inChat =
    viewer.kind === "chat" ? { sql: " AND s.chat = ?", params: [viewer.chat] } : { sql: "", params: [] };
  return [
    { sql: `s.owner IN (${marks})${inChat.sql}`, params: [...owners, ...inChat.params] },
    {
      sql: `(s.lane_owner IN (${marks}) AND s.lane_owner <> s.owner AND s.owner NOT IN (${marks})${inChat.sql})`,
      params: [...owners, ...owners, ...inChat.params],
    },
  ];
}

function readCursor(cursor: string): [number, string] {
  const [, updatedAt, id] = /^(-?\d{1,16})~([\w-]+)$/.exec(cursor) ?? [];
  if (!updatedAt || !id)
    throw new InputError("invalid_cursor", "This cursor is not one that list() gave out; start without it.");
  return [Number(updatedAt), id];
}

function folded(title: string): string {
  return title.normalize("NFKC").toLowerCase();
}
