/**
 * Reads another program's SQLite database, on a private copy. Text comes out of it as bytes, because the driver cuts text
 * at a NUL character. A damaged page costs the rows on it.
 */
import { DatabaseSync, type DatabaseSyncInstance } from "@photostructure/sqlite";
import { InputError } from "../../session/errors.js";
import type { Fields } from "../../util/json.js";
import { APPLICATION_ID } from "../sqlite/db.js";
import type { Problems } from "./problems.js";
import { copySqlite } from "./sqlite-copy.js";

export class ForeignDatabase {
  /** What problems call it. */
  readonly called: string;
  readonly #database: DatabaseSyncInstance;
  readonly #encoding: "utf8" | "utf16le" | "utf16be";
  readonly #problems: Problems;
  readonly #remove: () => Promise<void>;

  private constructor(
    database: DatabaseSyncInstance,
    called: string,
    problems: Problems,
    remove: () => Promise<void>,
  ) {
    this.#database = database;
    this.called = called;
    this.#problems = problems;
    this.#remove = remove;
    const { encoding } = database.prepare("PRAGMA encoding").get() as { encoding: string };
    this.#encoding = encoding === "UTF-16le" ? "utf16le" : encoding === "UTF-16be" ? "utf16be" : "utf8";
  }

  /** Null where the file is not a SQLite database. */
  static async open(path: string, called: string, problems: Problems): Promise<ForeignDatabase | null> {
    const copy = await copySqlite(path);
    if (!copy) return null;
    let database: DatabaseSyncInstance | undefined;
    try {
      database = new DatabaseSync(copy.path);
      database.exec("PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON");
      const { application_id } = database.prepare("PRAGMA application_id").get() as {
        application_id: number;
      };
      if (application_id === APPLICATION_ID) {
        throw new InputError(
          "import_unreadable",
          `${path} is a Baton database. Open it as the store, or export its sessions and import those.`,
        );
      }
      return new ForeignDatabase(database, called, problems, copy.remove);
    } catch (error) {
      database?.close();
      await copy.remove();
      throw error instanceof InputError ? error : damaged(path, error);
    }
  }

  /** The columns of a plain table; none where it is not there or is a view. */
  columnsOf(table: string): ReadonlySet<string> {
    const plain = this.#database
      .prepare(
        "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ? AND sql NOT LIKE 'CREATE VIRTUAL%'",
      )
      .get(table);
    if (!plain) return new Set();
    const columns = this.#database.prepare(`PRAGMA table_info(${quoted(table)})`).all() as { name: string }[];
    return new Set(columns.map(({ name }) => name));
  }

  /** The rows of a table with all of its columns, up to the first row that cannot be read. */
  rows(table: string, what: string, rest = "", ...params: readonly string[]): Fields[] {
    const columns = [...this.columnsOf(table)];
    const selected = columns.map((name) => `${asBytes(name)} AS ${quoted(name)}`).join(", ");
    return this.#read(`SELECT ${selected} FROM ${quoted(table)} ${rest}`, what, params);
  }

  /** The different texts in a column. */
  distinct(table: string, column: string, what: string): string[] {
    const rows = this.#read(`SELECT DISTINCT ${asBytes(column)} AS value FROM ${quoted(table)}`, what, []);
    return rows.flatMap(({ value }) => (value === null || value === undefined ? [] : [String(value)]));
  }

  /** On the copy: without an index each session would read the whole table. */
  index(table: string, column: string): void {
    const indexed = this.#database
      .prepare(
        `SELECT 1 FROM pragma_index_list('${table}') l JOIN pragma_index_info(l.name) i WHERE i.seqno = 0 AND i.name = '${column}' AND l.partial = 0`,
      )
      .get();
    if (indexed) return;
    try {
      this.#database.exec(`CREATE INDEX baton_import ON ${quoted(table)} (${quoted(column)})`);
    } catch (error) {
      this.#problems.add(this.called, null, `The ${table} cannot all be read: ${messageOf(error)}.`);
    }
  }

  async close(): Promise<void> {
    this.#database.close();
    await this.#remove();
  }

  /** A parameter is `CAST(? AS TEXT)` in the statement: as text it would be cut too. */
  #read(sql: string, what: string, params: readonly string[]): Fields[] {
    const rows: Fields[] = [];
    try {
      const statement = this.#database.prepare(sql);
      statement.setReadBigInts(true);
      for (const row of statement.iterate(...params.map((param) => this.#encode(param)))) {
        rows.push(this.#decoded(row as Fields));
      }
    } catch (error) {
      this.#problems.add(
        this.called,
        null,
        `${what} cannot be read to its end: ${messageOf(error)}. ${rows.length} rows were read.`,
      );
    }
    return rows;
  }

  #decoded(row: Fields): Fields {
    return Object.fromEntries(
      Object.entries(row).map(([name, value]) => [
        name,
        value instanceof Uint8Array ? this.#text(value) : value,
      ]),
    );
  }

  #text(bytes: Uint8Array): string {
    const buffer = Buffer.from(bytes);
    if (this.#encoding === "utf8") return buffer.toString("utf8");
    const even = buffer.subarray(0, buffer.length - (buffer.length % 2));
    return (this.#encoding === "utf16be" ? even.swap16() : even).toString("utf16le");
  }

  #encode(text: string): Buffer {
    if (this.#encoding === "utf8") return Buffer.from(text, "utf8");
    const bytes = Buffer.from(text, "utf16le");
    return this.#encoding === "utf16be" ? bytes.swap16() : bytes;
  }
}

export function damaged(path: string, error: unknown): InputError {
  return new InputError(
    "import_unreadable",
    `${path} is a SQLite database, but damaged: ${messageOf(error)}. Its own program may be able to mend it.`,
    { cause: error },
  );
}

function asBytes(column: string): string {
  const name = quoted(column);
  return `CASE typeof(${name}) WHEN 'text' THEN CAST(${name} AS BLOB) ELSE ${name} END`;
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
