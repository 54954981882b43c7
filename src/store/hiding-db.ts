/**
 * A database that holds no known secret in what people, models and programs said: each such text is cleaned on its way
 * in, and once more on its way out, for what was written before its secret was known. All that is kept, exported,
 * mirrored or backed up passes here. Ids, keys and addresses are never changed: an answer has to find its chat.
 */
import type { Hide } from "../util/redact.js";
import type { Db, Queries, Row, SqlValue } from "./db.js";
import { markedColumns } from "./marked-columns.js";

/** The columns that hold words. All others say what something is, where it belongs, or how to find it. */
export const WORDS: ReadonlySet<string> = new Set([
  ...[
    "content",
    "text",
    "reasoning",
    "tool_calls",
    "arguments",
    "said",
    "result",
    "attachments",
    "missing",
    "awaited",
    "buttons",
  ],
  ...["title", "display_name", "name", "called", "summary", "standing", "metadata", "error", "shown"],
  ...[
    "before_summary",
    "before_standing",
    "what",
    "outcome",
    "command",
    "workdir",
    "patterns",
    "setting",
    "paused_why",
  ],
]);

export function hidingDb(db: Db, hide: Hide): Db {
  const cleaner = new Cleaner(hide);
  const queries = (tx: Queries): Queries => hidingQueries(tx, cleaner);
  return {
    ...queries(db),
    dialect: db.dialect,
    transaction: (work, options) => db.transaction((tx) => work(queries(tx)), options),
    snapshot: (work) => db.snapshot((tx) => work(queries(tx))),
    maintain: (sql) => db.maintain(sql),
    readAside: cleaner.rows((...statement) => db.readAside(...statement)),
    hide,
    subscribe: (subscriber) => db.subscribe(subscriber),
    watch: (subscriber) => db.watch(subscriber),
    close: () => db.close(),
  };
}

function hidingQueries(queries: Queries, cleaner: Cleaner): Queries {
  return {
    get: cleaner.oneRow((...statement) => queries.get(...statement)),
    write: cleaner.oneRow((...statement) => queries.write(...statement)),
    all: cleaner.rows((...statement) => queries.all(...statement)),
    run: (sql, ...params) => queries.run(sql, ...cleaner.params(sql, params)),
    record: (fact) => queries.record(fact),
  };
}

class Cleaner {
  readonly #hide: Hide;
  /** By statement: there are as many as the program has. */
  readonly #columns = new Map<string, readonly (string | null)[]>();

  constructor(hide: Hide) {
    this.#hide = hide;
  }

  /** A statement that gives a row, cleaned both ways. */
  oneRow(ask: Queries["get"]): Queries["get"] {
    return async (sql, ...params) => {
      const row = await ask(sql, ...this.params(sql, params));
      return row && this.row(row);
    };
  }

  /** The same for one that gives many. */
  rows(ask: Queries["all"]): Queries["all"] {
    return async (sql, ...params) =>
      (await ask(sql, ...this.params(sql, params))).map((row) => this.row(row));
  }

  params(sql: string, values: readonly SqlValue[]): SqlValue[] {
    const columns = this.#columns.get(sql) ?? markedColumns(sql);
    this.#columns.set(sql, columns);
    return values.map((value, n) => this.#clean(columns[n] ?? null, value));
  }

  row(row: Row): Row {
    let cleaned: Row | undefined;
    for (const column of WORDS) {
      const value = row[column] ?? null;
      const clean = this.#clean(column, value);
      if (clean !== value) cleaned = { ...(cleaned ?? row), [column]: clean };
    }
    return cleaned ?? row;
  }

  #clean(column: string | null, value: SqlValue): SqlValue {
    return typeof value === "string" && column !== null && WORDS.has(column) ? this.#hide(value) : value;
  }
}
