/**
 * A connection that only listens. It asks the server for a sign from time to time, because a connection that died in
 * silence looks like one on which nothing happens; a notification may also have been lost before it was sent. So with each
 * sign, and when the connection is opened again, subscribers are told to look at everything.
 */
import type pg from "pg";
import type { Fact, Subscriber } from "../../gateway/facts.js";
import { timerMs } from "../../util/timer-ms.js";
import { Subscribers } from "../facts.js";

const AGAIN_MS = 1_000;

export class Listener {
  readonly #connect: () => pg.Client;
  readonly #beatMs: number;
  readonly #read: (payload: string) => readonly Fact[];
  readonly #subscribers = new Subscribers();
  #client: pg.Client | undefined;
  #again: NodeJS.Timeout | undefined;
  #opening: Promise<void>;
  #closed = false;

  /** A query on these connections has an end. */
  constructor(connect: () => pg.Client, beatMs: number, read: (payload: string) => readonly Fact[]) {
    this.#read = read;
    this.#connect = connect;
    this.#beatMs = beatMs;
    this.#opening = this.#open();
  }

  add(subscriber: Subscriber): () => void {
    return this.#subscribers.add(subscriber);
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#again);
    await this.#opening;
    await this.#client?.end().catch(() => {}); // It is lost already.
  }

  async #open(): Promise<void> {
    const client = this.#connect();
    client.on("notification", ({ payload = "" }) => this.#subscribers.tell(this.#read(payload)));
    try {
      await client.connect();
      await client.query("LISTEN baton");
      this.#client = client;
      client.on("end", () => this.#later(AGAIN_MS, () => this.#reopen()));
      this.#beat(client);
      this.#lookAtAll();
    } catch {
      await this.#leave(client);
      this.#later(AGAIN_MS, () => this.#reopen());
    }
  }

  #reopen(): void {
    this.#opening = this.#open();
  }

  /** What does not answer in time is left: ending it, with a query in hand, does not wait for the server. */
  #beat(client: pg.Client): void {
    // Not all processes at the same moment.
    this.#later(this.#beatMs * (0.75 + Math.random() / 2), async () => {
      try {
        await client.query("SELECT 1");
        this.#lookAtAll();
        if (this.#client === client) this.#beat(client);
      } catch {
        await this.#leave(client); // Its end is heard, and another is opened.
      }
    });
  }

  async #leave(client: pg.Client): Promise<void> {
    await client.end().catch(() => {}); // It is lost already.
  }

  #later(ms: number, act: () => void): void {
    if (this.#closed) return;
    clearTimeout(this.#again);
    this.#again = setTimeout(act, timerMs(ms));
    this.#again.unref();
  }

  #lookAtAll(): void {
    this.#subscribers.tell([{ kind: "unknown" }]);
  }
}
