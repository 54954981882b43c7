/**
 * A SQLite database of another program with tables `sessions` and `messages`. Columns come and go with that program's
 * versions: what is missing counts as absent. Which session a chat has now, and whose it is, newer versions say in the
 * database, and all of them in `sessions.json`.
 */
import type { SessionId } from "../../session/ids.js";
import { isPlatform } from "../../session/platform.js";
import type { Message } from "../../session/transcript.js";
import type { Fields } from "../../util/json.js";
import { counted } from "../../util/words.js";
import type { ImportContext } from "./context.js";
import { fieldsIn, textIn, timeIn } from "./fields.js";
import type { ForeignDatabase } from "./foreign-database.js";
import { type FoundSession, foundSession, type ImportSource, idFor } from "./found-session.js";
import { readMessage } from "./message-json.js";
import { type ImportPlace, ownersPlace, placeOfChat, placeOfUser } from "./place.js";
import type { IndexEntry } from "./session-index.js";
import { placeOfEntry } from "./sessions-json.js";
import type { ReadTranscript } from "./tree-transcript.js";

const FORMAT = "sqlite";

export interface SqliteSource extends ImportSource {
  /** The program's ids of all sessions in it. */
  readonly ids: ReadonlySet<string>;
}

/** Whether it has the tables of this format. */
export function hasSessionTables(database: ForeignDatabase): boolean {
  const [sessions, messages] = [database.columnsOf("sessions"), database.columnsOf("messages")];
  return sessions.has("id") && messages.has("session_id") && messages.has("role");
}

/** `routes` are the entries of a `sessions.json` beside it. */
export function openSessionTables(
  database: ForeignDatabase,
  path: string,
  modifiedAt: number,
  context: ImportContext,
  routes: readonly IndexEntry[] = [],
): SqliteSource {
  const reader = new SessionTables(database, modifiedAt, context, routes);
  const { rows, strays } = reader.list();
  return {
    format: FORMAT,
    path,
    ids: reader.ids,
    sessions: [
      ...rows.map((row) => ({ file: database.called, read: async () => reader.session(row) })),
      ...strays.map((id) => ({ file: database.called, read: async () => reader.stray(id) })),
    ],
    close: () => database.close(),
  };
}

class SessionTables {
  readonly #database: ForeignDatabase;
  readonly #modifiedAt: number;
  readonly #context: ImportContext;
  /** The program's ids as ours, for parents. */
  readonly #ids = new Map<string, SessionId>();
  /** The entry of the chat that has this session now. */
  readonly #routes = new Map<string, IndexEntry>();
  readonly #order: string;
  readonly #hasUndone: boolean;

  constructor(
    database: ForeignDatabase,
    modifiedAt: number,
    context: ImportContext,
    routes: readonly IndexEntry[],
  ) {
    this.#database = database;
    this.#modifiedAt = modifiedAt;
    this.#context = context;
    const columns = database.columnsOf("messages");
    this.#hasUndone = columns.has("active");
    const order = ["id", "timestamp"].find((name) => columns.has(name));
    this.#order = order ? `ORDER BY ${order}` : "";
    for (const route of [...this.#routing(), ...routes])
      if (route.id !== undefined && !this.#routes.has(route.id)) this.#routes.set(route.id, route);
  }

  get ids(): ReadonlySet<string> {
    return new Set(this.#ids.keys());
  }

  /** The newest first: the first of a chat to come in is its session from now on. */
  list(): { rows: Fields[]; strays: string[] } {
    const { problems } = this.#context;
    const rows = this.#database
      .rows("sessions", "The list of sessions")
      .filter((row) => textIn(row.id) !== undefined)
      .sort((a, b) => startOf(b) - startOf(a));
    for (const row of rows) this.#ids.set(textIn(row.id) ?? "", idOf(row));
    this.#database.index("messages", "session_id");
    const written = this.#database.distinct("messages", "session_id", "The list of messages");
    const strays = written.filter((id) => id !== "" && !this.#ids.has(id));
    for (const id of strays)
      problems.add(this.#database.called, null, `Session ${named(id)} has messages but no row of its own.`);
    return { rows, strays };
  }

  session(row: Fields): FoundSession {
    const id = textIn(row.id) ?? "";
    const parent = textIn(row.parent_session_id);
    return foundSession(
      {
        ...this.#common(id),
        sessionId: this.#ids.get(id),
        place: this.#place(id, row),
        bind: this.#routes.has(id),
        createdAt: timeIn(row.started_at),
        updatedAt: timeIn(row.last_activity_at),
        endedAt: timeIn(row.ended_at),
        endReason: textIn(row.end_reason),
        parentId: parent === undefined ? undefined : this.#ids.get(parent),
        title: textIn(row.title),
        displayName: textIn(row.display_name),
        usage: row,
      },
      this.#context,
    );
  }

  /** Messages whose session has no row any more: nobody knows whose they were. */
  stray(id: string): FoundSession {
    return foundSession({ ...this.#common(id), place: ownersPlace(id, this.#context.scopes) }, this.#context);
  }

  /** The chats and their sessions, where the database itself has them. */
  #routing(): IndexEntry[] {
    if (!this.#database.columnsOf("gateway_routing").has("entry_json")) return [];
    const rows = this.#database.rows("gateway_routing", "The list of chats");
    return rows.flatMap((row): IndexEntry[] => {
      const fields = fieldsIn(row.entry_json);
      const key = textIn(row.session_key) ?? textIn(fields.session_key);
      return key === undefined ? [] : [{ key, fields, id: textIn(fields.session_id) }];
    });
  }

  #place(id: string, row: Fields): ImportPlace {
    const { scopes, problems } = this.#context;
    const own = { key: textIn(row.session_key) ?? "", fields: { origin: originOf(row) } };
    const entry = this.#routes.get(id) ?? (own.key ? own : undefined);
    if (entry) {
      const { place, problem } = placeOfEntry(entry, scopes);
      if (problem) problems.add(this.#database.called, null, `Session ${named(id)}: ${problem}`);
      return place;
    }
    const [platform, user, chatId] = [textIn(row.source) ?? "", textIn(row.user_id), textIn(row.chat_id)];
    if (!isPlatform(platform) || !chatId) return placeOfUser(platform, user, id, scopes);
    const threadId = textIn(row.thread_id);
    return placeOfChat(
      {
        platform,
        chatId,
        chatType: chatTypeIn(row.chat_type),
        ...(threadId ? { threadId } : {}),
        ...(user ? { userId: user } : {}),
      },
      `${platform}:${id}`,
      scopes,
    );
  }

  #common(id: string) {
    const { transcript, undone } = this.#transcript(id);
    return {
      format: FORMAT,
      file: this.#database.called,
      originalId: id,
      bind: false,
      transcript,
      modifiedAt: this.#modifiedAt,
      ...(undone > 0
        ? {
            note: `Left out: ${counted(undone, "message")} that ${undone === 1 ? "was" : "were"} undone or summed up there.`,
          }
        : {}),
    } as const;
  }

  #transcript(id: string): { transcript: ReadTranscript; undone: number } {
    const { problems } = this.#context;
    const file = this.#database.called;
    const messages: Message[] = [];
    const places: number[] = [];
    let undone = 0;
    const where = `WHERE session_id = CAST(? AS TEXT) ${this.#order}`;
    this.#database.rows("messages", `Session ${named(id)}`, where, id).forEach((row, place) => {
      // Messages that the program itself took out of its transcript.
      if (this.#hasUndone && row.active !== null && Number(row.active) === 0) {
        undone += 1;
        return;
      }
      const read = readMessage(row);
      const which = `Session ${named(id)}, message ${textIn(row.id) ?? place + 1}: `;
      if (read.kind === "other") {
        problems.bookkeeping += 1;
        return;
      }
      if (read.kind === "problem") {
        problems.add(file, null, which + read.reason);
        return;
      }
      if (read.problem) problems.add(file, null, which + read.problem);
      messages.push(read.message);
      places.push(place);
    });
    return { transcript: { messages, places }, undone };
  }
}

/** The source of the last message, in the words of an entry. */
function originOf(row: Fields): Fields | undefined {
  const told = fieldsIn(row.origin_json);
  if (textIn(told.platform) && textIn(told.chat_id)) return told;
  const [platform, chatId] = [textIn(row.source), textIn(row.chat_id)];
  if (!platform || !chatId) return undefined;
  return {
    platform,
    chat_id: chatId,
    chat_type: textIn(row.chat_type),
    thread_id: textIn(row.thread_id),
    user_id: textIn(row.user_id),
  };
}

const CHAT_TYPES = ["dm", "channel", "thread"] as const;

/** Its "group" is any chat that is not one of two. */
function chatTypeIn(value: unknown): (typeof CHAT_TYPES)[number] | "shared" | "unknown" {
  return value === "group" ? "shared" : (CHAT_TYPES.find((type) => type === value) ?? "unknown");
}

function startOf(row: Fields): number {
  return timeIn(row.started_at) ?? 0;
}

function idOf(row: Fields): SessionId {
  return idFor(textIn(row.id) ?? "", timeIn(row.started_at));
}

function named(id: string): string {
  return JSON.stringify(id.slice(0, 100));
}
