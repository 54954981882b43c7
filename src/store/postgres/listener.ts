/**
 * A connection that only listens. It asks the server for a sign again and again, for a connection that died in silence
 * looks like one on which nothing happens. When it is lost it is opened again, and then something may have been missed.
 */
import type pg from "pg";
import { timerMs } from "../../util/timer-ms.js";

const AGAIN_MS = 1_000;

export class Listener {
  readonly #connect: () => pg.Client;
  readonly #beatMs: number;
  readonly #callbacks = new Set<() => void>();
  #client: pg.Client | undefined;
  #again: NodeJS.Timeout | undefined;
  #opening: Promise<void>;
  #closed = false;

  /** A query on these connections has an end. */
  constructor(connect: () => pg.Client, beatMs: number) {
    this.#connect = connect;
    this.#beatMs = beatMs;
    this.#opening = this.#open();
  }

  add(onChange: () => void): () => void {
    this.#callbacks.add(onChange);
    return () => this.#callbacks.delete(onChange);
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#again);
    await this.#opening;
    await this.#client?.end().catch(() => {}); // It is lost already.
  }

  async #open(): Promise<void> {
    const client = this.#connect();
    client.on("notification", () => this.#tell());
    try {
      await client.connect();
      await client.query("LISTEN baton");
      this.#client = client;
      client.on("end", () => this.#later(AGAIN_MS, () => this.#reopen()));
      this.#beat(client);
      this.#tell();
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
    this.#later(this.#beatMs, async () => {
      try {
        await client.query("SELECT 1");
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

  #tell(): void {
    for (const callback of this.#callbacks) callback();
  }
}
