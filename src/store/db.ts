/**
 * The small port over a SQL engine. One SQL text serves both engines; `?` marks a parameter. What they spell
 * differently is in `Dialect`, and nowhere else.
 */

import type { Scrubbed } from "../gateway/erasure.js";
import type { Fact, Subscriber } from "../gateway/facts.js";
import type { Hide } from "../util/redact.js";
import { storableText } from "../util/text.js";

export type SqlValue = string | number | null;
export type Row = Readonly<Record<string, SqlValue>>;

/** Statements inside a transaction, or single ones outside. */
export interface Queries {
  get(sql: string, ...params: SqlValue[]): Promise<Row | undefined>;
  all(sql: string, ...params: SqlValue[]): Promise<Row[]>;
  /** Returns how many rows changed. */
  run(sql: string, ...params: SqlValue[]): Promise<number>;
  /** One statement that writes and gives back a row. Outside of a transaction it is durable when it returns. */
  write(sql: string, ...params: SqlValue[]): Promise<Row | undefined>;
  /**
   * Says what a write changed. In a transaction subscribers hear of it after the commit, and never if that fails; outside
   * of one at once, as a single statement is durable when it returns.
   */
  record(fact: Fact): void;
}

export interface TransactionOptions {
  /** It may take its time, as a migration of a large store does. */
  readonly isLong?: boolean;
}

export interface Db extends Queries {
  readonly dialect: Dialect;
  /**
   * Runs the work in one write transaction, committed durably when it returns and rolled back when it throws. The
   * work may be run again after a conflict, so it changes nothing but the database; it awaits nothing but queries.
   */
  transaction<Result>(work: (tx: Queries) => Promise<Result>, options?: TransactionOptions): Promise<Result>;
  /** Runs the work on one consistent snapshot. */
  snapshot<Result>(work: (tx: Queries) => Promise<Result>): Promise<Result>;
  /** Runs one statement outside of any transaction, however long it takes: VACUUM and the like. */
  maintain(sql: string): Promise<Row[]>;
  /** A read that may take long. It holds up nothing else of this process, and sees what is committed. */
  readAside(sql: string, ...params: SqlValue[]): Promise<Row[]>;
  /** Cleans words that were read earlier: more secrets may be known now. Absent if nothing is hidden. */
  readonly hide?: Hide;
  /** Tells of what this process commits. Returns how to end it. */
  subscribe(subscriber: Subscriber): () => void;
  /** Tells, soon, of what other processes commit. Returns how to end it. */
  watch(subscriber: Subscriber): () => void;
  close(): Promise<void>;
}

/** How an engine gets rid of the bytes of what is deleted. */
export interface Scrubber {
  /** To be called before anything is deleted. */
  prepare(db: Db): Promise<void>;
  scrub(db: Db): Promise<Scrubbed>;
}

/** A part of a statement, with the values of its marks. */
export interface ClockShift {
  readonly sql: string;
  readonly values: readonly SqlValue[];
}

export interface Dialect {
  readonly name: "sqlite" | "postgres";
  /** Column types. */
  readonly int: string;
  readonly real: string;
  readonly text: string;
  /** A primary key that the engine numbers, never the same twice. */
  readonly autoId: string;
  /** Ends a CREATE TABLE. */
  readonly tableEnd: string;
  /** Ends a SELECT whose rows are then changed. */
  readonly forUpdate: (table: string) => string;
  /** Serialises migrations across processes; run inside the migration's transaction. */
  readonly lockMigrations: string | null;
  /** Serialises transactions that name the same text, until they end; null if the engine has one writer anyway. */
  readonly lockName: string | null;
  /**
   * What is added to the host's time to get the time that leases are kept by. Hosts that share an engine share its
   * clock, whatever their own say; one that only processes of one host share has the host's.
   */
  readonly clockShift: (hostNow: number) => ClockShift;
  /** Names a table if it exists. */
  readonly findTable: string;
  /** How large the store is, as `bytes`. Never from the files: closing one would drop the locks of the engine. */
  readonly storeBytes: string;
  /** The tables and columns that hold text, as `of_table` and `of_column`. */
  readonly textColumns: string;
  /** The place of a row in its table, by which a table without a number is read in pages: where the first page begins. */
  readonly rowPlace: {
    readonly sql: string;
    readonly order: string;
    readonly isAfter: string;
    readonly first: SqlValue;
  };
}

/** NUL never reaches an engine: one cuts text there, the other refuses it. What is kept is mended before; ids match nothing. */
export function withoutNul(params: SqlValue[]): SqlValue[] {
  const broken = params.some((value) => typeof value === "string" && value.includes("\0"));
  return broken ? params.map((value) => (typeof value === "string" ? storableText(value) : value)) : params;
}
