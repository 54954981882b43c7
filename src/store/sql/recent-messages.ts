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
import type { Db, Row, SqlValue } from "../db.js";
import { columnsOf } from "./columns.js";
import { storedMessage } from "./rows.js";
import { number } from "./values.js";
import { type KnownMessage, type Window, WindowMemory } from "./window-memory.js";

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
    const before = this.#memory.get(sessionId);
    const window =
      (before && (await this.#continued(sessionId, before, limit))) ?? (await this.#whole(sessionId, limit));
    this.#memory.set(sessionId, window);
    return lastOf(window, limit).map(({ row, message }) => {
      const now = this.#db.again(row);
      return now === row ? message : storedMessage(now);
    });
  }

  /** What was known and what is new. Null if that is not enough, or something else happened meanwhile. */
  async #continued(sessionId: SessionId, before: Window, limit: number): Promise<Window | null> {
    const last = before.known.at(-1);
    if (!last) return null;
    const { start, messages } = await this.#from(sessionId, last.message.seq, limit + 1);
    const [first, ...newer] = messages;
    if (first?.id !== last.row.id || first?.at !== last.row.at) return null;
    const known = [...before.known, ...newer.map(knownMessage)];
    const window = trimmed({ from: before.from, known, start }, Math.max(limit, before.known.length));
    return window.from <= start || lastOf(window, limit).length === limit ? window : null;
  }

  async #whole(sessionId: SessionId, limit: number): Promise<Window> {
    const sql = "SELECT active_from, consolidated_through FROM sessions WHERE id = ?";
    const session = await this.#db.get(sql, sessionId);
    if (!session) throw sessionNotFound(sessionId);
    const from = startOf(session);
    const { start, messages } = await this.#from(sessionId, from, limit + 1);
    return trimmed({ from, known: messages.map(knownMessage), start }, limit);
  }

  /** The last active messages from a number on, oldest first, and the first one that counts. */
  async #from(sessionId: SessionId, seq: number, limit: number) {
    const rows = await this.#db.all(FROM_SEQ, sessionId, seq, limit, sessionId);
    const [newest] = rows;
    if (!newest) throw sessionNotFound(sessionId);
    return { start: startOf(newest), messages: newest.id === null ? [] : rows.toReversed() };
  }
}

function startOf({ active_from, consolidated_through }: Row): number {
  return Math.max(number(active_from), number(consolidated_through) + 1);
}

function knownMessage(row: Row): KnownMessage {
  const size = Object.values(row).reduce<number>((sum, value) => sum + sizeOf(value), 0);
  return { row, message: frozen(storedMessage(row)), size };
}

/** The parts that callers get as they are: nobody changes them for those who read them next. */
function frozen(message: StoredMessage): StoredMessage {
  if (message.role !== "user") return message;
  for (const part of [message.author, message.attachments, ...(message.attachments ?? [])])
    Object.freeze(part);
  return message;
}

function sizeOf(value: SqlValue): number {
  return typeof value === "string" ? value.length + 8 : 8;
}

function trimmed(window: Window, most: number): Window {
  const known = window.known.slice(Math.max(0, window.known.length - most));
  if (known.length === window.known.length) return window;
  return { ...window, known, from: known[0]?.message.seq ?? Number.POSITIVE_INFINITY };
}

function lastOf({ known, start }: Window, limit: number): readonly KnownMessage[] {
  const begin = known.findIndex(({ message }) => message.seq >= start);
  return begin < 0 ? [] : known.slice(Math.max(begin, known.length - limit));
}
