/** The line to WhatsApp: a connection after another, until it is ended or somebody has to mend something. */
import type { WAMessage } from "baileys";
import { ConnectError, type Surroundings } from "../../adapter.js";
import { pause } from "../../http-call.js";
import type { BaileysSettings } from "./config.js";
import type { Credentials } from "./credentials.js";
import { endingOf } from "./failure.js";
import { hush } from "./quiet.js";
import { openWire, type Wire } from "./wire.js";

const LONGEST_PAUSE_MS = 60_000;
/** One that lasted was a good one. */
const LASTED_MS = 30_000;
const MOST_AT_ONCE = 3;

export class Line {
  readonly credentials: Credentials;
  readonly #settings: BaileysSettings;
  readonly #tell: Surroundings["tell"];
  readonly #heard: (messages: readonly WAMessage[], isLate: boolean) => void;
  readonly #end = new AbortController();
  readonly #speak = hush();
  #wire: Wire | null = null;
  #over: Promise<void> = Promise.resolve();

  constructor(options: {
    settings: BaileysSettings;
    credentials: Credentials;
    tell: Surroundings["tell"];
    heard: (messages: readonly WAMessage[], isLate: boolean) => void;
  }) {
    this.credentials = options.credentials;
    this.#settings = options.settings;
    this.#tell = options.tell;
    this.#heard = options.heard;
  }

  /** Null while there is none. */
  get wire(): Wire | null {
    return this.#wire;
  }

  get signal(): AbortSignal {
    return this.#end.signal;
  }

  /** Settles when WhatsApp has let us in; from then on it reconnects by itself. */
  async open(): Promise<void> {
    const wire = await this.#connect();
    this.#over = this.#keep(wire);
  }

  async close(): Promise<void> {
    this.#end.abort();
    this.#wire?.close();
    this.#wire = null;
    await this.#over;
    await this.credentials.close();
    this.#speak();
  }

  async #connect(): Promise<Wire> {
    for (let tries = 1; ; tries += 1) {
      const wire = openWire(this.#settings, this.credentials, { messages: this.#heard });
      this.#wire = wire;
      const ended = await Promise.race([wire.opened.then(() => null), wire.closed.then(endingOf)]);
      if (this.signal.aborted) {
        wire.close();
        throw new ConnectError("retryable", "the connection was given up.");
      }
      if (ended === null) return wire;
      this.#wire = null;
      if (ended.kind === "failed") throw new ConnectError("permanent", ended.reason);
      if (!ended.atOnce || tries >= MOST_AT_ONCE) throw new ConnectError("retryable", ended.reason);
    }
  }

  /** Until the line is ended; never rejects. */
  async #keep(first: Wire): Promise<void> {
    let wire: Wire | null = first;
    let openedAt = performance.now();
    let attempts = 0;
    while (wire) {
      const ended = endingOf(await wire.closed);
      this.#wire = null;
      if (this.signal.aborted) return;
      if (ended.kind === "failed") return this.#tell({ failed: ended.reason });
      if (performance.now() - openedAt > LASTED_MS) attempts = 0;
      if (!ended.atOnce) {
        this.#tell({ lost: ended.reason });
        await pause(attempts === 0 ? 100 : Math.min(500 * 2 ** attempts, LONGEST_PAUSE_MS), this.signal);
      }
      attempts += 1;
      wire = await this.#again(attempts);
      openedAt = performance.now();
    }
  }

  /** Null where there is no use in trying, or no time. */
  async #again(before: number): Promise<Wire | null> {
    for (let attempts = before; !this.signal.aborted; attempts += 1) {
      try {
        const wire = await this.#connect();
        this.#tell("connected");
        return wire;
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        if (this.signal.aborted) return null;
        if (error instanceof ConnectError && error.outcome === "permanent") {
          this.#tell({ failed: reason });
          return null;
        }
        await pause(Math.min(500 * 2 ** attempts, LONGEST_PAUSE_MS), this.signal);
      }
    }
    return null;
  }
}
