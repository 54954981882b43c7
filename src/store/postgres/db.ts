/**
 * PostgreSQL behind the `Db` port: a pool, everything in a schema of our own, transactions that are run again after a
 * deadlock or a serialisation failure.
 */

import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { StoreError } from "../../session/errors.js";
import { timerMs } from "../../util/timer-ms.js";
import { type Db, type Dialect, type Queries, type Row, type SqlValue, withoutNul } from "../db.js";
import { causeCode, isConflict, storeErrorOf } from "./errors.js";
import { Listener } from "./listener.js";

const SCHEMA = "baton";
const RETRIES = 10;
const INT8 = 20;
const CONNECT_TIMEOUT_MS = 10_000;

const dialect: Dialect = {
  name: "postgres",
  int: "BIGINT",
  real: "DOUBLE PRECISION",
  text: 'TEXT COLLATE "C"',
  autoId: "BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY",
  tableEnd: "",
  forUpdate: (table) => `FOR UPDATE OF ${table}`,
  lockMigrations: "SELECT pg_advisory_xact_lock(1113682030)",
  notify: "NOTIFY baton",
  clockShift: (hostNow) => ({
    sql: "((extract(epoch FROM clock_timestamp()) * 1000)::bigint - ?)",
    values: [hostNow],
  }),
  findTable: `SELECT tablename AS name FROM pg_tables WHERE schemaname = '${SCHEMA}' AND tablename = ?`,
};

export async function openPostgres(url: string): Promise<Db> {
  const pool = new pg.Pool({
    // Options in the URL would take the place of those below.
    connectionString: url.replace(/[?&]options=[^&#]*/, `$&%20-c%20search_path%3D${SCHEMA}`),
    max: 10,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    application_name: "baton",
    options: `-c search_path=${SCHEMA}`,
    types: {
      getTypeParser: (oid: number, format?: "text" | "binary") =>
        oid === INT8 ? Number : pg.types.getTypeParser(oid, format as "text"),
    },
  });
  pool.on("error", () => {}); // An idle connection was lost; the pool opens another when one is needed.
  const db = new PostgresDb(pool, () => new Listener(url));
  try {
    await db.run(`CREATE SCHEMA IF NOT EXISTS ${SCHEMA}`);
  } catch (error) {
    // Two processes creating the schema at once: one is told that it exists.
    if (!["23505", "42P06"].includes(causeCode(error))) {
      await pool.end();
      throw error;
    }
  }
  return db;
}

class PostgresDb implements Db {
  readonly dialect = dialect;
  readonly #pool: pg.Pool;
  readonly #listen: () => Listener;
  #listener: Listener | undefined;
  #closed = false;

  constructor(pool: pg.Pool, listen: () => Listener) {
    this.#pool = pool;
    this.#listen = listen;
  }

  async get(sql: string, ...params: SqlValue[]): Promise<Row | undefined> {
    return (await this.all(sql, ...params))[0];
  }

  async all(sql: string, ...params: SqlValue[]): Promise<Row[]> {
    return (await this.#guarded(() => query(this.#pool, sql, params))).rows;
  }

  async run(sql: string, ...params: SqlValue[]): Promise<number> {
    return (await this.#guarded(() => query(this.#pool, sql, params))).rowCount ?? 0;
  }

  write(sql: string, ...params: SqlValue[]): Promise<Row | undefined> {
    return this.get(sql, ...params);
  }

  async transaction<Result>(work: (tx: Queries) => Promise<Result>): Promise<Result> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#between("BEGIN", work);
      } catch (error) {
        if (attempt >= RETRIES || !isConflict(error)) throw error;
        await sleep(timerMs(Math.random() * 5 * attempt)); // Those who met would meet again.
      }
    }
  }

  snapshot<Result>(work: (tx: Queries) => Promise<Result>): Promise<Result> {
    return this.#between("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", work);
  }

  watch(onChange: () => void): () => void {
    this.#listener ??= this.#listen();
    return this.#listener.add(onChange);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#listener?.close();
    await this.#pool.end();
  }

  #between<Result>(begin: string, work: (tx: Queries) => Promise<Result>): Promise<Result> {
    return this.#guarded(async () => {
      const client = await this.#pool.connect();
      let broken = false;
      // A connection that is lost in the middle fails the query in hand; without a listener it would end the process.
      const lost = () => {
        broken = true;
      };
      client.on("error", lost);
      try {
        await client.query(begin);
        const result = await work(queriesOn(client));
        await client.query("COMMIT");
        return result;
      } catch (error) {
        await client.query("ROLLBACK").catch(() => {
          broken = true; // The connection went down in the middle; the server rolls back by itself.
        });
        throw error;
      } finally {
        client.off("error", lost);
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

function queriesOn(client: pg.PoolClient): Queries {
  return {
    get: async (sql, ...params) => (await query(client, sql, params)).rows[0],
    all: async (sql, ...params) => (await query(client, sql, params)).rows,
    run: async (sql, ...params) => (await query(client, sql, params)).rowCount ?? 0,
  };
}

const prepared = new Map<string, { name: string; text: string }>();

/** `?` becomes `$1`, `$2`, …; statements with parameters are prepared once a connection. */
function query(on: pg.Pool | pg.PoolClient, sql: string, values: SqlValue[]): Promise<pg.QueryResult<Row>> {
  if (values.length === 0) return on.query<Row>(sql);
  let statement = prepared.get(sql);
  if (!statement) {
    let n = 0;
    statement = { name: `baton_${prepared.size}`, text: sql.replace(/\?/g, () => `$${++n}`) };
    prepared.set(sql, statement);
  }
  return on.query<Row>({ ...statement, values: withoutNul(values) });
}
