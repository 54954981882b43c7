/**
 * A SQLite database of another program with tables `sessions` and `messages`. Columns come and go with that program's
 * versions: what is missing counts as absent. A damaged page costs the rows on it.
 */
import { basename } from "node:path";
import { DatabaseSync, type DatabaseSyncInstance } from "@photostructure/sqlite";
import { InputError } from "../../session/errors.js";
import type { SessionId } from "../../session/ids.js";
import type { SessionScopes } from "../../session/session-key.js";
import type { Message } from "../../session/transcript.js";
import type { Fields } from "../../util/json.js";
import { APPLICATION_ID } from "../sqlite/db.js";
import { textIn, timeIn } from "./fields.js";
import { type FoundSession, foundSession, type ImportSource, idFor } from "./found-session.js";
import { readMessage } from "./message-json.js";
import { ownersPlace, placeOfUser } from "./place.js";
import type { Problems } from "./problems.js";
import { copySqlite } from "./sqlite-copy.js";
import type { ReadTranscript } from "./transcript-file.js";

const FORMAT = "sqlite";

/** Null where the file is not a SQLite database. */
export async function openForeignSqlite(
  path: string,
  modifiedAt: number,
  scopes: SessionScopes,
  problems: Problems,
): Promise<ImportSource | null> {
  const copy = await copySqlite(path);
  if (!copy) return null;
  let database: DatabaseSyncInstance | undefined;
  const close = async () => {
    database?.close();
    await copy.remove();
  };
  try {
    database = new DatabaseSync(copy.path);
    checkTables(database, path);
    const reader = new ForeignSqlite(database, { file: basename(path), modifiedAt, scopes, problems });
    const { rows, strays } = reader.list();
    return {
      format: FORMAT,
      total: rows.length + strays.length,
      async *sessions() {
        for (const row of rows) yield reader.session(row);
        for (const id of strays) yield reader.stray(id);
      },
      close,
    };
  } catch (error) {
    await close();
    if (error instanceof InputError) throw error;
    throw new InputError(
      "import_unreadable",
      `${path} is a SQLite database, but damaged: ${messageOf(error)}. Its own program may be able to mend it.`,
      { cause: error },
    );
  }
}

function checkTables(database: DatabaseSyncInstance, path: string): void {
  database.exec("PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON");
  const { application_id } = database.prepare("PRAGMA application_id").get() as { application_id: number };
  if (application_id === APPLICATION_ID) {
    throw new InputError(
      "import_unreadable",
      `${path} is a Baton database. Open it as the store, or export its sessions and import those.`,
    );
  }
  const missing = ["sessions", "messages"].filter((table) => columnsOf(database, table).size === 0);
  if (missing.length > 0) {
    throw new InputError(
      "import_unreadable",
      `${path} is a SQLite database without the tables sessions (with id) and messages (with session_id and role): ${missing.join(" and ")} not found.`,
    );
  }
}

const NEEDED: Readonly<Record<string, readonly string[]>> = {
  sessions: ["id"],
  messages: ["session_id", "role"],
};

/** The columns of a plain table; none where it is not there, is a view, or lacks what it must have. */
function columnsOf(database: DatabaseSyncInstance, table: string): Set<string> {
  const plain = database
    .prepare(
      "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ? AND sql NOT LIKE 'CREATE VIRTUAL%'",
    )
    .get(table);
  if (!plain) return new Set();
  const columns = database.prepare(`PRAGMA table_info(${table})`).all() as { name: string }[];
  const names = new Set(columns.map(({ name }) => name));
  return NEEDED[table]?.every((name) => names.has(name)) ? names : new Set();
}

interface ImportSurroundings {
  readonly file: string;
  readonly modifiedAt: number;
  readonly scopes: SessionScopes;
  readonly problems: Problems;
}

class ForeignSqlite {
  readonly #database: DatabaseSyncInstance;
  readonly #around: ImportSurroundings;
  readonly #messages: string;
  /** The program's ids as ours, for parents. */
  readonly #ids = new Map<string, SessionId>();

  constructor(database: DatabaseSyncInstance, around: ImportSurroundings) {
    this.#database = database;
    this.#around = around;
    const columns = columnsOf(database, "messages");
    // Messages that the program itself took out of its transcript.
    const active = columns.has("active") ? "AND (active IS NULL OR active <> 0)" : "";
    const order = ["id", "timestamp"].find((name) => columns.has(name));
    this.#messages = `SELECT * FROM messages WHERE session_id = ? ${active} ${order ? `ORDER BY ${order}` : ""}`;
  }

  list(): { rows: Fields[]; strays: string[] } {
    const { file, problems } = this.#around;
    const rows = this.#rows("SELECT * FROM sessions", [], "The list of sessions");
    for (const row of rows) this.#ids.set(textIn(row.id) ?? "", idOf(row));
    const written = this.#rows("SELECT DISTINCT session_id AS id FROM messages", [], "The list of messages");
    const strays = written.map((row) => textIn(row.id) ?? "").filter((id) => id !== "" && !this.#ids.has(id));
    for (const id of strays)
      problems.add(file, null, `Session ${named(id)} has messages but no row of its own.`);
    this.#indexMessages();
    return { rows: rows.filter((row) => textIn(row.id) !== undefined), strays };
  }

  session(row: Fields): FoundSession {
    const { scopes, problems } = this.#around;
    const id = textIn(row.id) ?? "";
    const parent = textIn(row.parent_session_id);
    return foundSession(
      {
        ...this.#common(id),
        sessionId: this.#ids.get(id),
        place: placeOfUser(textIn(row.source) ?? "", textIn(row.user_id), id, scopes),
        createdAt: timeIn(row.started_at),
        endedAt: timeIn(row.ended_at),
        endReason: textIn(row.end_reason),
        parentId: parent === undefined ? undefined : this.#ids.get(parent),
        title: textIn(row.title),
        usage: row,
      },
      problems,
    );
  }

  /** Messages whose session has no row any more: nobody knows whose they were. */
  stray(id: string): FoundSession {
    const { scopes, problems } = this.#around;
    return foundSession({ ...this.#common(id), place: ownersPlace(id, scopes) }, problems);
  }

  #common(id: string) {
    const { file, modifiedAt } = this.#around;
    return {
      format: FORMAT,
      file,
      originalId: id,
      bind: false,
      transcript: this.#transcript(id),
      modifiedAt,
    } as const;
  }

  #transcript(id: string): ReadTranscript {
    const { file, problems } = this.#around;
    const messages: Message[] = [];
    const places: number[] = [];
    this.#rows(this.#messages, [id], `Session ${named(id)}`).forEach((row, place) => {
      const read = readMessage({ ...row, content: decodeContent(row.content) });
      const where = `Session ${named(id)}, message ${textIn(row.id) ?? place + 1}: `;
      if (read.kind === "other") return;
      if (read.kind === "problem") {
        problems.add(file, null, where + read.reason);
        return;
      }
      if (read.problem) problems.add(file, null, where + read.problem);
      messages.push(read.message);
      places.push(place);
    });
    return { messages, places };
  }

  /** The rows, up to the first that cannot be read. */
  #rows(sql: string, params: string[], what: string): Fields[] {
    const rows: Fields[] = [];
    try {
      const statement = this.#database.prepare(sql);
      statement.setReadBigInts(true);
      for (const row of statement.iterate(...params)) rows.push(row as Fields);
    } catch (error) {
      const { file, problems } = this.#around;
      problems.add(
        file,
        null,
        `${what} cannot be read to its end: ${messageOf(error)}. ${rows.length} rows were read.`,
      );
    }
    return rows;
  }

  /** On the copy: without an index each session would read the whole table. */
  #indexMessages(): void {
    const indexed = this.#database
      .prepare(
        "SELECT 1 FROM pragma_index_list('messages') l JOIN pragma_index_info(l.name) i WHERE i.seqno = 0 AND i.name = 'session_id' AND l.partial = 0",
      )
      .get();
    if (indexed) return;
    try {
      this.#database.exec("CREATE INDEX baton_import ON messages (session_id)");
    } catch (error) {
      const { file, problems } = this.#around;
      problems.add(file, null, `The messages cannot all be read: ${messageOf(error)}.`);
    }
  }
}

function idOf(row: Fields): SessionId {
  return idFor(textIn(row.id) ?? "", timeIn(row.started_at));
}

/** Content that is not plain text is kept as JSON behind a mark. */
function decodeContent(content: unknown): unknown {
  const text = textIn(content) ?? "";
  if (!/^[\0\u0001]json:/.test(text)) return text;
  try {
    return JSON.parse(text.slice(6));
  } catch {
    return text.slice(6);
  }
}

function named(id: string): string {
  return JSON.stringify(id.slice(0, 100));
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
