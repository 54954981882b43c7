/**
 * PostgreSQL behind the `Db` port: a pool, everything in a schema of our own, transactions that are run again after a
 * deadlock or a serialisation failure. What was prepared before somebody changed the schema is prepared anew.
 */

import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import type { Fact, Subscriber } from "../../gateway/facts.js";
import { StoreError } from "../../session/errors.js";
import { timerMs } from "../../util/timer-ms.js";
import {
  type Db,
  type Dialect,
  type Queries,
  type Row,
  type SqlValue,
  type TransactionOptions,
  withoutNul,
} from "../db.js";
import { Recorded, Subscribers } from "../facts.js";
import { Connections } from "./connections.js";
import { causeCode, isConflict, isFromServer, isStalePlan, storeErrorOf } from "./errors.js";
import { Listener } from "./listener.js";
import { Notifier } from "./notifier.js";

const SCHEMA = "baton";
const RETRIES = 10;
/** How long the goodbye may take, to a server that may not hear it. */
const CLOSE_MS = 2_000;
/** For what is long by nature. */
const LONG_MS = 24 * 60 * 60 * 1_000;
const WITHOUT_TIME_OUTS = ["lock_timeout", "statement_timeout", "idle_in_transaction_session_timeout"];

const dialect: Dialect = {
  name: "postgres",
  int: "BIGINT",
  real: "DOUBLE PRECISION",
  text: 'TEXT COLLATE "C"',
  autoId: "BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY",
  tableEnd: "",
  forUpdate: (table) => `FOR UPDATE OF ${table}`,
  lockMigrations: "SELECT pg_advisory_xact_lock(1113682030)",
  lockName: "SELECT pg_advisory_xact_lock(hashtextextended(?, 0))",
  clockShift: (hostNow) => ({
    sql: "((extract(epoch FROM clock_timestamp()) * 1000)::bigint - ?)",
    values: [hostNow],
  }),
  findTable: `SELECT tablename AS name FROM pg_tables WHERE schemaname = '${SCHEMA}' AND tablename = ?`,
  storeBytes: "SELECT pg_database_size(current_database()) AS bytes",
  textColumns: `SELECT table_name AS of_table, column_name AS of_column FROM information_schema.columns
    WHERE table_schema = '${SCHEMA}' AND data_type = 'text' ORDER BY table_name, ordinal_position`,
  rowPlace: { sql: "ctid::text", order: "ctid", isAfter: "ctid > ?::tid", first: "(0,0)" },
};

export interface PostgresOptions {
  /** Neither creates nor changes anything: the server refuses every write. */
  readonly readOnly?: boolean;
}

export async function openPostgres(url: string, { readOnly = false }: PostgresOptions = {}): Promise<Db> {
  const db = new PostgresDb(new Connections(url, SCHEMA, readOnly));
  if (readOnly) return db;
  try {
    await db.run(`CREATE SCHEMA IF NOT EXISTS ${SCHEMA}`);
  } catch (error) {
    // Two processes creating the schema at once: one is told that it exists.
    if (!["23505", "42P06"].includes(causeCode(error))) {
      await db.close();
      throw error;
    }
  }
  return db;
}

class PostgresDb implements Db {
  readonly dialect = dialect;
  readonly #connections: Connections;
  readonly #subscribers = new Subscribers();
  readonly #notifier = new Notifier((payload) =>
    query(this.#connections.pool, "SELECT pg_notify('baton', ?)", [payload]),
  );
  #listener: Listener | undefined;
  #closed = false;

  constructor(connections: Connections) {
    this.#connections = connections;
  }

  async get(sql: string, ...params: SqlValue[]): Promise<Row | undefined> {
    return (await this.all(sql, ...params))[0];
  }

  async all(sql: string, ...params: SqlValue[]): Promise<Row[]> {
    return (await this.#alone(sql, params)).rows;
  }

  async run(sql: string, ...params: SqlValue[]): Promise<number> {
    return (await this.#alone(sql, params)).rowCount ?? 0;
  }

  write(sql: string, ...params: SqlValue[]): Promise<Row | undefined> {
    return this.get(sql, ...params);
  }

  async transaction<Result>(
    work: (tx: Queries) => Promise<Result>,
    { isLong = false }: TransactionOptions = {},
  ): Promise<Result> {
    for (let attempt = 1; ; attempt++) {
      try {
        const recorded = new Recorded();
        const result = await this.#between(
          "BEGIN",
          (ask) => work({ ...ask, record: recorded.record }),
          isLong,
        );
        this.#tell(recorded.facts);
        return result;
      } catch (error) {
        if (attempt >= RETRIES || !(isConflict(error) || isStalePlan(error))) throw error;
        await sleep(timerMs(Math.random() * 5 * attempt)); // Those who met would meet again.
      }
    }
  }

  snapshot<Result>(work: (tx: Queries) => Promise<Result>): Promise<Result> {
    const begin = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";
    return this.#between(begin, (ask) => work({ ...ask, record: () => {} }), false); // Nothing is written.
  }

  readAside(sql: string, ...params: SqlValue[]): Promise<Row[]> {
    return this.all(sql, ...params); // The server does the work.
  }

  record(fact: Fact): void {
    this.#tell([fact]);
  }

  subscribe(subscriber: Subscriber): () => void {
    return this.#subscribers.add(subscriber);
  }

  maintain(sql: string): Promise<Row[]> {
    return this.#guarded(async () => {
      const client = await this.#connections.pool.connect();
      try {
        for (const name of WITHOUT_TIME_OUTS) await query(client, `SET ${name} = 0`, []);
        return (await query(client, sql, [], LONG_MS)).rows;
      } finally {
        client.release(true); // Nobody else gets it without its time-outs.
      }
    });
  }

  watch(subscriber: Subscriber): () => void {
    const { timeoutMs } = this.#connections;
    const read = (payload: string): readonly Fact[] => this.#notifier.read(payload);
    this.#listener ??= new Listener(() => this.#connections.single(), timeoutMs, read);
    return this.#listener.add(subscriber);
  }

  #tell(facts: readonly Fact[]): void {
    this.#subscribers.tell(facts);
    this.#notifier.tell(facts);
  }

  /** Says goodbye, but not for long: a server that is away hears nothing. */
  async close(): Promise<void> {
    if (this.#closed) return;
    const enough = new AbortController();
    const told = this.#notifier.close();
    this.#closed = true;
    const goodbye = told.then(() =>
      Promise.allSettled([this.#listener?.close(), this.#connections.pool.end()]),
    );
    await Promise.race([goodbye, sleep(CLOSE_MS, null, { signal: enough.signal }).catch(() => {})]);
    enough.abort();
    this.#connections.drop();
  }

  /** A statement of its own. A connection whose plan is stale is dropped by the pool, and another has it anew. */
  async #alone(sql: string, params: SqlValue[]): Promise<pg.QueryResult<Row>> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#guarded(() => query(this.#connections.pool, sql, params));
      } catch (error) {
        if (attempt > RETRIES || !isStalePlan(error)) throw error;
      }
    }
  }

  #between<Result>(
    begin: string,
    work: (ask: Omit<Queries, "record">) => Promise<Result>,
    isLong: boolean,
  ): Promise<Result> {
    return this.#guarded(async () => {
      const client = await this.#connections.pool.connect();
      /** Nothing more is to be had of it: the server rolls back by itself. */
      let broken = false;
      const ask: Ask = async (sql, params = []) => {
        try {
          return await query(client, sql, params, isLong ? LONG_MS : undefined);
        } catch (error) {
          if (!isFromServer(error) || isStalePlan(error)) broken = true;
          throw error;
        }
      };
      try {
        await ask(begin);
        if (isLong) for (const name of WITHOUT_TIME_OUTS) await ask(`SET LOCAL ${name} = 0`);
        const result = await work(queriesOn(ask));
        await ask("COMMIT");
        return result;
      } catch (error) {
        if (!broken) await ask("ROLLBACK").catch(() => {}); // Then it is broken now.
        throw error;
      } finally {
        client.release(broken);
      }
    });
  }

  async #guarded<Result>(step: () => Promise<Result>): Promise<Result> {
    if (this.#closed) throw new StoreError("store_closed", "The store is closed.");
    try {
      return await step();
    } catch (error) {
      throw storeErrorOf(error);
    }
  }
}

type Ask = (sql: string, params?: SqlValue[]) => Promise<pg.QueryResult<Row>>;

function queriesOn(ask: Ask): Omit<Queries, "record"> {
  const get: Queries["get"] = async (sql, ...params) => (await ask(sql, params)).rows[0];
  return {
    get,
    write: get,
    all: async (sql, ...params) => (await ask(sql, params)).rows,
    run: async (sql, ...params) => (await ask(sql, params)).rowCount ?? 0,
  };
}

const prepared = new Map<string, { name: string; text: string }>();

/** `?` becomes `$1`, `$2`, …; statements with parameters are prepared once a connection. */
function query(
  on: pg.Pool | pg.PoolClient,
  sql: string,
  values: SqlValue[],
  timeoutMs?: number,
): Promise<pg.QueryResult<Row>> {
  const patience = timeoutMs === undefined ? {} : { query_timeout: timeoutMs };
  if (values.length === 0) return on.query<Row>({ text: sql, ...patience });
  let statement = prepared.get(sql);
  if (!statement) {
    let n = 0;
    statement = { name: `baton_${prepared.size}`, text: sql.replace(/\?/g, () => `$${++n}`) };
    prepared.set(sql, statement);
  }
  return on.query<Row>({ ...statement, values: withoutNul(values), ...patience });
}
