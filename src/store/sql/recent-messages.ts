/**
 * The last messages of a session. This process remembers those that it has read, so that a turn reads only what is new.
 *
 * What it remembers is never stale, also if other processes write. Saved messages do not change, and a rewrite supersedes
 * the last ones: so if the last message that is known is still active, all known ones before it are. The statement that reads
 * the new messages also reads that last one. If it is not there, or is another one, all is read again. So it is if somebody
 * was erased from the session, which the session itself says.
 */
import { sessionNotFound } from "../../session/errors.js";
import type { SessionId } from "../../session/ids.js";
import type { TranscriptEnd } from "../../session/store.js";
import type { Message } from "../../session/transcript.js";
import type { Hide } from "../../util/redact.js";
import type { Db, Row } from "../db.js";
import { columnsOf } from "./columns.js";
import { MessageWindow, type WindowBegin } from "./message-window.js";
import { json, number, text } from "./values.js";
import { WindowMemory } from "./window-memory.js";

/** One statement, so that the session and its messages are of the same moment. Only so many rows are read; the newest is first. */
const FROM_SEQ = `SELECT s.active_from, s.erased_at, ${cursorOf("s")}, ${columnsOf("messages", "m")},
    CASE WHEN m.nth > 1 THEN NULL ELSE s.summary END AS summary, CASE WHEN m.nth > 1 THEN '[]' ELSE s.standing END AS standing
  FROM sessions s LEFT JOIN (SELECT ${columnsOf("messages")}, row_number() OVER (ORDER BY seq DESC) AS nth FROM messages
    WHERE session_id = ? AND seq >= ? AND superseded_at IS NULL ORDER BY seq DESC LIMIT ?) AS m ON TRUE
  WHERE s.id = ? ORDER BY m.seq DESC`;

/** Without a summary, nothing is hidden. */
function cursorOf(session: string): string {
  return `CASE WHEN coalesce(${session}.summary, '') = '' THEN 0 ELSE ${session}.consolidated_through END AS cursor_seq`;
}

export class RecentMessages {
  readonly #db: Db;
  readonly #memory = new WindowMemory();

  constructor(db: Db) {
    this.#db = db;
  }

  async read(sessionId: SessionId, limit: number): Promise<TranscriptEnd> {
    const before = this.#memory.take(sessionId); // Put back below: what is read of a session that is gone is forgotten.
    const window =
      (before && (await this.#continued(sessionId, before, limit))) ?? (await this.#whole(sessionId, limit));
    const recent = window.lastOnes(limit);
    this.#memory.set(sessionId, window);
    const { hide } = this.#db;
    return hide ? { ...recent, messages: recent.messages.map((message) => hidden(message, hide)) } : recent;
  }

  /** With what is new, or only that if it is enough. Null if neither is, or something else happened meanwhile. */
  async #continued(
    sessionId: SessionId,
    window: MessageWindow,
    limit: number,
  ): Promise<MessageWindow | null> {
    if (window.lastSeq === null) return null;
    const { begins, rows } = await this.#from(sessionId, window.lastSeq, limit + 1);
    const [first] = rows;
    if (!first) return null;
    if (!window.endsWith(first))
      return rows.length > limit ? windowOf(number(first.seq), begins, rows, limit) : null;
    window.add(rows.slice(1), begins);
    window.cutTo(limit);
    return window.isEnoughFor(limit) ? window : null;
  }

  async #whole(sessionId: SessionId, limit: number): Promise<MessageWindow> {
    const sql = `SELECT active_from, ${cursorOf("sessions")}, summary, standing FROM sessions WHERE id = ?`;
    const session = await this.#db.get(sql, sessionId);
    if (!session) throw sessionNotFound(sessionId);
    const from = beginsAt(session).seq;
    const { begins, rows } = await this.#from(sessionId, from, limit + 1);
    return windowOf(from, begins, rows, limit);
  }

  /** The last active messages from a number on, oldest first, and where those that count begin. */
  async #from(sessionId: SessionId, seq: number, limit: number) {
    const rows = await this.#db.all(FROM_SEQ, sessionId, seq, limit, sessionId);
    const [newest] = rows;
    if (!newest) throw sessionNotFound(sessionId);
    return { begins: beginsAt(newest), rows: newest.id === null ? [] : rows.toReversed() };
  }
}

function beginsAt({ active_from, cursor_seq, summary, standing }: Row): WindowBegin {
  const cursor = number(cursor_seq);
  const hidden = cursor > 0 ? { text: text(summary), standing: json<readonly string[]>(standing) } : null;
  return { seq: Math.max(number(active_from), cursor + 1), summary: hidden };
}

/** `rows`: all active messages from a number on, or one more than needed, oldest first. */
function windowOf(from: number, begins: WindowBegin, rows: readonly Row[], limit: number): MessageWindow {
  const [first] = rows;
  return new MessageWindow(first && rows.length > limit ? number(first.seq) : from, begins, rows, limit);
}

/** The fields that hold words, as in the columns that `hidingDb` cleans. */
const WORDS = ["content", "name", "toolCalls", "attachments"];

/** Without the secrets that became known since it was read. Mostly that is the same message. */
function hidden(message: Message, hide: Hide): Message {
  const fields: Readonly<Record<string, unknown>> = message;
  const unclean = WORDS.filter((field) => fields[field] !== undefined && isUnclean(fields[field], hide));
  if (unclean.length === 0) return message;
  return { ...message, ...Object.fromEntries(unclean.map((field) => [field, cleaned(fields[field], hide)])) };
}

function isUnclean(value: unknown, hide: Hide): boolean {
  const words = typeof value === "string" ? value : JSON.stringify(value);
  return hide(words) !== words;
}

function cleaned(value: unknown, hide: Hide): unknown {
  return typeof value === "string" ? hide(value) : JSON.parse(hide(JSON.stringify(value)));
}
