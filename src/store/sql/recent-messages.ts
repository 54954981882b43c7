/**
 * The last messages of a session. This process remembers those that it has read, so that a turn reads only what is new.
 *
 * What it remembers is never stale, also if other processes write. Saved messages do not change, and a rewrite supersedes
 * the last ones: so if the last message that is known is still active, all known ones before it are. The statement that reads
 * the new messages also reads that last one. If it is not there, or is another one, all is read again.
 */
import { sessionNotFound } from "../../session/errors.js";
import type { SessionId } from "../../session/ids.js";
import type { StoredMessage } from "../../session/transcript.js";
import type { Hide } from "../../util/redact.js";
import type { Db, Row } from "../db.js";
import { columnsOf } from "./columns.js";
import { storedMessage } from "./rows.js";
import { number } from "./values.js";
import { type Window, WindowMemory } from "./window-memory.js";

/** One statement, so that the session and its messages are of the same moment. Only so many rows are read; the newest is first. */
const FROM_SEQ = `SELECT s.active_from, s.consolidated_through, ${columnsOf("messages", "m")}
  FROM sessions s LEFT JOIN (SELECT ${columnsOf("messages")} FROM messages
    WHERE session_id = ? AND seq >= ? AND superseded_at IS NULL ORDER BY seq DESC LIMIT ?) AS m ON TRUE
  WHERE s.id = ? ORDER BY m.seq DESC`;

export class RecentMessages {
  readonly #db: Db;
  readonly #memory = new WindowMemory();

  constructor(db: Db) {
    this.#db = db;
  }

  async read(sessionId: SessionId, limit: number): Promise<StoredMessage[]> {
    const before = this.#memory.take(sessionId); // Put back below: what is read of a session that is gone is forgotten.
    const window =
      (before && (await this.#continued(sessionId, before, limit))) ?? (await this.#whole(sessionId, limit));
    this.#memory.set(sessionId, window);
    const { hide } = this.#db;
    const messages = lastOf(window, limit);
    return hide ? messages.map((message) => hidden(message, hide)) : messages;
  }

  /** What was known and what is new. Null if that is not enough, or something else happened meanwhile. */
  async #continued(sessionId: SessionId, before: Window, limit: number): Promise<Window | null> {
    const last = before.messages.at(-1);
    if (!last) return null;
    const { start, rows } = await this.#from(sessionId, last.seq, limit + 1);
    const [first, ...newer] = rows;
    if (!first || number(first.id) !== before.lastId || number(first.at) !== last.at) return null;
    const most = Math.max(limit, before.messages.length);
    const window = windowOf(before.from, [...before.messages, ...newer.map(knownMessage)], rows, start, most);
    return window.from <= start || lastOf(window, limit).length === limit ? window : null;
  }

  async #whole(sessionId: SessionId, limit: number): Promise<Window> {
    const sql = "SELECT active_from, consolidated_through FROM sessions WHERE id = ?";
    const session = await this.#db.get(sql, sessionId);
    if (!session) throw sessionNotFound(sessionId);
    const from = startOf(session);
    const { start, rows } = await this.#from(sessionId, from, limit + 1);
    return windowOf(from, rows.map(knownMessage), rows, start, limit);
  }

  /** The last active messages from a number on, oldest first, and the first one that counts. */
  async #from(sessionId: SessionId, seq: number, limit: number) {
    const rows = await this.#db.all(FROM_SEQ, sessionId, seq, limit, sessionId);
    const [newest] = rows;
    if (!newest) throw sessionNotFound(sessionId);
    return { start: startOf(newest), rows: newest.id === null ? [] : rows.toReversed() };
  }
}

function startOf({ active_from, consolidated_through }: Row): number {
  return Math.max(number(active_from), number(consolidated_through) + 1);
}

/** The parts that callers get as they are: nobody changes them for those who read them next. */
function knownMessage(row: Row): StoredMessage {
  const message = storedMessage(row);
  if (message.role !== "user") return message;
  for (const part of [message.author, message.attachments, ...(message.attachments ?? [])])
    Object.freeze(part);
  return message;
}

/** `rows`: what was read last; its end is the end of the window. */
function windowOf(
  from: number,
  messages: readonly StoredMessage[],
  rows: readonly Row[],
  start: number,
  most: number,
): Window {
  const last = messages.slice(Math.max(0, messages.length - most));
  const isCut = last.length < messages.length;
  const begin = isCut ? (last[0]?.seq ?? Number.POSITIVE_INFINITY) : from;
  return { from: begin, messages: last, lastId: number(rows.at(-1)?.id ?? 0), start };
}

function lastOf({ messages, start }: Window, limit: number): StoredMessage[] {
  const begin = messages.findIndex(({ seq }) => seq >= start);
  return begin < 0 ? [] : messages.slice(Math.max(begin, messages.length - limit));
}

/** The fields that hold words, as in the columns that `hidingDb` cleans. */
const WORDS = new Set(["content", "name", "reasoning", "toolCalls", "attachments"]);

/** Without the secrets that became known since it was read. */
function hidden(message: StoredMessage, hide: Hide): StoredMessage {
  const words = Object.entries(message).filter(([field]) => WORDS.has(field));
  const clean = words.map(([field, value]) => [
    field,
    typeof value === "string" ? hide(value) : JSON.parse(hide(JSON.stringify(value))),
  ]);
  return { ...message, ...Object.fromEntries(clean) };
}
