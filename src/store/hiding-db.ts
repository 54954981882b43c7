/**
 * A database that holds no known secret: each text is cleaned on its way in, and once more on its way out, for what was
 * written before its secret was known. All that is kept, sent, exported, mirrored or backed up passes here.
 */
import type { Hide } from "../util/redact.js";
import type { Db, Queries, Row, SqlValue } from "./db.js";

export function hidingDb(db: Db, hide: Hide): Db {
  const oneRow = cleanly(hide);
  return {
    ...hidingQueries(db, hide),
    write: oneRow((...statement) => db.write(...statement)),
    dialect: db.dialect,
    transaction: (work, options) => db.transaction((tx) => work(hidingQueries(tx, hide)), options),
    snapshot: (work) => db.snapshot((tx) => work(hidingQueries(tx, hide))),
    watch: (onChange) => db.watch(onChange),
    close: () => db.close(),
  };
}

function hidingQueries(queries: Queries, hide: Hide): Queries {
  const oneRow = cleanly(hide);
  return {
    get: oneRow((...statement) => queries.get(...statement)),
    all: async (sql, ...params) =>
      (await queries.all(sql, ...clean(params, hide))).map((row) => cleanRow(row, hide)),
    run: (sql, ...params) => queries.run(sql, ...clean(params, hide)),
  };
}

/** A statement that gives a row, cleaned both ways. */
function cleanly(hide: Hide) {
  return (ask: Queries["get"]): Queries["get"] =>
    async (sql, ...params) => {
      const row = await ask(sql, ...clean(params, hide));
      return row && cleanRow(row, hide);
    };
}

function clean(values: readonly SqlValue[], hide: Hide): SqlValue[] {
  return values.map((value) => (typeof value === "string" ? hide(value) : value));
}

function cleanRow(row: Row, hide: Hide): Row {
  const values = clean(Object.values(row), hide);
  return Object.fromEntries(Object.keys(row).map((column, n) => [column, values[n] ?? null]));
}
