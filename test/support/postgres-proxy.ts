/**
 * A loopback between Baton and a PostgreSQL server, where connections can be cut, or stay open with nothing going through
 * any more, as behind a firewall that has forgotten them: nobody is told.
 */
import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";

interface Line {
  readonly client: Socket;
  readonly server: Socket;
  isSilent: boolean;
}

/** What the server said in a piece; what Baton gets to hear instead. */
export type Forged = (said: Buffer) => Buffer;

export class PostgresProxy {
  readonly url: string;
  readonly #listening: Server;
  readonly #lines = new Set<Line>();
  #isDark = false;
  #forge: Forged | undefined;

  /** Stands before the server of this URL. */
  static async before(url: string): Promise<PostgresProxy> {
    const { hostname, port } = new URL(url);
    const listening = createServer();
    listening.listen(0, "127.0.0.1");
    await once(listening, "listening");
    return new PostgresProxy(url, listening, () => connect(Number(port), hostname));
  }

  private constructor(url: string, listening: Server, dial: () => Socket) {
    const at = new URL(url);
    const address = listening.address();
    if (typeof address !== "object" || address === null) throw new Error("The proxy does not listen.");
    at.port = String(address.port);
    this.url = at.href;
    this.#listening = listening;
    listening.on("connection", (client) => this.#join(client, dial()));
  }

  /** How many connections there are, silent ones too. */
  get open(): number {
    return this.#lines.size;
  }

  /** Nothing goes through the connections that there are, ever again; new ones do. */
  silence(): void {
    for (const line of this.#lines) line.isSilent = true;
  }

  /** The same, and for new ones until it is lifted. */
  darken(): void {
    this.#isDark = true;
    this.silence();
  }

  lift(): void {
    this.#isDark = false;
  }

  /** Ends every connection at once. */
  cut(): void {
    for (const { client, server } of this.#lines) {
      client.resetAndDestroy();
      server.resetAndDestroy();
    }
  }

  /** Changes what the server says. */
  forge(forge: Forged | undefined): void {
    this.#forge = forge;
  }

  async close(): Promise<void> {
    this.#listening.close();
    this.cut();
    await once(this.#listening, "close");
  }

  #join(client: Socket, server: Socket): void {
    const line: Line = { client, server, isSilent: this.#isDark };
    this.#lines.add(line);
    client.on("data", (said) => line.isSilent || server.write(said));
    server.on("data", (said) => line.isSilent || client.write(this.#forge?.(said) ?? said));
    for (const [one, other] of [
      [client, server],
      [server, client],
    ] as const) {
      one.on("error", () => {}); // `close` follows.
      one.on("close", () => {
        if (!line.isSilent) other.destroy();
        if (client.destroyed) {
          server.destroy();
          this.#lines.delete(line);
        }
      });
    }
  }
}
