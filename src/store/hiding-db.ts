/**
 * A database that holds no known secret: each text is cleaned on its way in, and once more on its way out, for what was
 * written before its secret was known. All that is kept, sent, exported, mirrored or backed up passes here.
 */
import type { Hide } from "../util/redact.js";
import type { Db, Queries, Row, SqlValue } from "./db.js";

export function hidingDb(db: Db, hide: Hide): Db {
  const queries = hidingQueries(db, hide);
  const { get: write } = hidingQueries(
    { ...queries, get: (sql, ...params) => db.write(sql, ...params) },
    hide,
  );
  return {
    ...queries,
    write,
    dialect: db.dialect,
    transaction: (work) => db.transaction((tx) => work(hidingQueries(tx, hide))),
    snapshot: (work) => db.snapshot((tx) => work(hidingQueries(tx, hide))),
    watch: (onChange) => db.watch(onChange),
    close: () => db.close(),
  };
}

function hidingQueries(queries: Queries, hide: Hide): Queries {
  const clean = <Value extends SqlValue | undefined>(value: Value) =>
    typeof value === "string" ? hide(value) : value;
  const cleanRow = (row: Row): Row =>
    Object.fromEntries(Object.entries(row).map(([column, value]) => [column, clean(value)]));
  return {
    get: async (sql, ...params) => {
      const row = await queries.get(sql, ...params.map(clean));
      return row && cleanRow(row);
    },
    all: async (sql, ...params) => (await queries.all(sql, ...params.map(clean))).map(cleanRow),
    run: (sql, ...params) => queries.run(sql, ...params.map(clean)),
  };
}
