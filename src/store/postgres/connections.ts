/**
 * How Baton connects to a PostgreSQL server. No wait is without an end: connections that died in silence are noticed by
 * keep-alives and by queries that take too long, and a process that stands still in the middle of a transaction loses it.
 * All of that is below the leases of accounts and turns (15 s), unless the URL asks for another `query_timeout`.
 */
import { Socket } from "node:net";
import pg from "pg";

const INT8 = 20;
const CONNECTIONS = 10;
const CONNECT_TIMEOUT_MS = 10_000;
const QUERY_TIMEOUT_MS = 10_000;
const KEEP_ALIVE_MS = 5_000;

export class Connections {
  readonly pool: pg.Pool;
  /** How long a query may take. */
  readonly timeoutMs: number;
  readonly #config: pg.ClientConfig;
  readonly #sockets = new Set<Socket>();

  constructor(url: string, schema: string, readOnly = false) {
    this.timeoutMs = Number(/[?&]query_timeout=(\d+)/.exec(url)?.[1] ?? QUERY_TIMEOUT_MS);
    const ours = [
      // In this order: the server ends what stands still before those who wait for it give up, and says so in time.
      `idle_in_transaction_session_timeout=${Math.round(this.timeoutMs * 0.5)}`,
      `lock_timeout=${Math.round(this.timeoutMs * 0.8)}`,
      `statement_timeout=${Math.round(this.timeoutMs * 0.9)}`,
    ].map((setting) => `-c ${setting}`);
    const [own = "", last] = [
      ours.join(" "),
      `-c search_path=${schema}${readOnly ? " -c default_transaction_read_only=on" : ""}`,
    ];
    this.#config = {
      // Options in the URL would take the place of ours: they come between, where they count more than the time-outs.
      connectionString: url.replace(
        /([?&]options=)([^&#]*)/,
        (_, name: string, theirs: string) =>
          `${name}${encodeURIComponent(own)}%20${theirs}%20${encodeURIComponent(last)}`,
      ),
      options: `${own} ${last}`,
      application_name: "baton",
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      query_timeout: this.timeoutMs,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
      stream: () => this.#socket(),
      types: {
        getTypeParser: (oid: number, format?: "text" | "binary") =>
          oid === INT8 ? Number : pg.types.getTypeParser(oid, format as "text"),
      },
    };
    this.pool = new pg.Pool({ ...this.#config, max: CONNECTIONS });
    this.pool.on("error", () => {}); // An idle connection was lost; the pool opens another when one is needed.
    // One may be lost at any moment, also between two who listen: without this that would end the process.
    this.pool.on("connect", (client) => client.on("error", () => {}));
  }

  /** One connection beside the pool. */
  single(): pg.Client {
    const client = new pg.Client(this.#config);
    client.on("error", () => {}); // `end` follows.
    return client;
  }

  /** Drops every connection, whatever it is doing and whether the server hears of it or not. */
  drop(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  #socket(): Socket {
    const socket = new Socket();
    this.#sockets.add(socket);
    socket.once("close", () => this.#sockets.delete(socket));
    return socket;
  }
}
