/**
 * A prepared statement. The driver takes twice as long to make rows as objects as to give their values, so the objects are
 * made here.
 */
import type { DatabaseSyncInstance, StatementSyncInstance } from "@photostructure/sqlite";
import { type Row, type SqlValue, withoutNul } from "../db.js";

export class Statement {
  readonly #statement: StatementSyncInstance;
  #columns: readonly string[] | undefined;

  constructor(database: DatabaseSyncInstance, sql: string) {
    this.#statement = database.prepare(sql);
    this.#statement.setReturnArrays(true);
  }

  get(params: SqlValue[] = []): Row | undefined {
    const values = this.#statement.get(...withoutNul(params)) as SqlValue[] | undefined;
    return values && this.#row(values);
  }

  all(params: SqlValue[] = []): Row[] {
    const rows = this.#statement.all(...withoutNul(params)) as SqlValue[][];
    return rows.map((values) => this.#row(values));
  }

  /** Returns how many rows changed. */
  run(params: SqlValue[] = []): number {
    return Number(this.#statement.run(...withoutNul(params)).changes);
  }

  #row(values: readonly SqlValue[]): Row {
    this.#columns ??= this.#statement.columns().map(({ name }) => name);
    const row: Record<string, SqlValue> = {};
    this.#columns.forEach((column, n) => {
      row[column] = values[n] ?? null;
    });
    return row;
  }
}
