/** A connection that only listens. When it is lost it is opened again, and then something may have been missed. */
import pg from "pg";

const AGAIN_MS = 1_000;

export class Listener {
  readonly #url: string;
  readonly #callbacks = new Set<() => void>();
  #client: pg.Client | undefined;
  #again: NodeJS.Timeout | undefined;
  #opening: Promise<void>;
  #closed = false;

  constructor(url: string) {
    this.#url = url;
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
    const client = new pg.Client({ connectionString: this.#url, application_name: "baton" });
    client.on("error", () => {}); // `end` follows.
    client.on("end", () => this.#later());
    client.on("notification", () => this.#tell());
    try {
      await client.connect();
      await client.query("LISTEN baton");
      this.#client = client;
      this.#tell();
    } catch {
      await client.end().catch(() => {});
      this.#later();
    }
  }

  #later(): void {
    if (this.#closed) return;
    clearTimeout(this.#again);
    this.#again = setTimeout(() => {
      this.#opening = this.#open();
    }, AGAIN_MS);
    this.#again.unref();
  }

  #tell(): void {
    for (const callback of this.#callbacks) callback();
  }
}
