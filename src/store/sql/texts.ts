/** Every text of the database, table by table in pages, also of tables that somebody adds later. */
import type { SeeText } from "../../gateway/erasure.js";
import type { Db, Queries, Row, SqlValue } from "../db.js";
import { text } from "./values.js";

const PAGE = 500;

/** The columns of a table that hold text, and those of them that hold words. */
interface TextColumns {
  readonly all: readonly string[];
  readonly words: readonly string[];
}

/** By table. */
export type TextTables = ReadonlyMap<string, TextColumns>;

export async function textTables(db: Db): Promise<TextTables> {
  const { WORDS } = await import("../hiding-db.js"); // Only for this: a program may hide nothing.
  const tables = new Map<string, string[]>();
  for (const row of await db.all(db.dialect.textColumns)) {
    const table = text(row.of_table);
    tables.set(table, [...(tables.get(table) ?? []), text(row.of_column)]);
  }
  const read = (all: readonly string[]) => ({ all, words: all.filter((column) => WORDS.has(column)) });
  return new Map([...tables].map(([table, all]) => [table, read(all)]));
}

export async function everyText(db: Db, see: SeeText): Promise<void> {
  const { sql, order, isAfter, first } = db.dialect.rowPlace;
  for (const [table, { all: columns }] of await textTables(db)) {
    const page = `SELECT ${sql} AS row_place, ${columns.join(", ")} FROM ${table} WHERE ${isAfter} ORDER BY ${order} LIMIT ?`;
    let after: SqlValue = first;
    let rows: Row[];
    do {
      rows = await db.all(page, after, PAGE);
      for (const row of rows) tellTexts(row, columns, (words, column) => see(words, table, column));
      after = rows.at(-1)?.row_place ?? after;
    } while (rows.length === PAGE);
  }
}

/** Tells the words in the rows of a table that are about to go. */
export async function hearRows(
  tx: Queries,
  tables: TextTables,
  hear: (words: string) => void,
  table: string,
  where: string,
  ...values: SqlValue[]
): Promise<void> {
  const columns = tables.get(table)?.words ?? [];
  if (columns.length === 0) return;
  const rows = await tx.all(`SELECT ${columns.join(", ")} FROM ${table} WHERE ${where}`, ...values);
  for (const row of rows) tellTexts(row, columns, hear);
}

function tellTexts(
  row: Row,
  columns: readonly string[],
  tell: (words: string, column: string) => void,
): void {
  for (const column of columns) {
    const value = row[column];
    if (typeof value === "string" && value !== "") tell(value, column);
  }
}
