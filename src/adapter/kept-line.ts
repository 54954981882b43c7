/**
 * A line to a platform that is kept up: when one ends the next is begun, soon at first and then after pauses that grow,
 * until it is closed or somebody has to mend something. The gateway is told each time that it is lost or there again.
 */
import { ConnectError, type Surroundings } from "./adapter.js";
import { pause, reasonOf } from "./http-call.js";

/**
 * One line, from its beginning until nothing of it is left. Calls `up` once it can be used, with what it is used by; `end`
 * asks it to go. What it throws says why it went: after a `permanent` one there is no other.
 */
export type ServeLine<Line> = (up: (line: Line) => void, end: AbortSignal) => Promise<void>;

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 60_000;
/** One that lasted was a good one. */
const LASTED_MS = 30_000;

export class KeptLine<Line> {
  readonly #serve: ServeLine<Line>;
  readonly #tell: Surroundings["tell"];
  readonly #closing = new AbortController();
  #current: Line | null = null;
  #over: Promise<void> = Promise.resolve();

  constructor(serve: ServeLine<Line>, tell: Surroundings["tell"]) {
    this.#serve = serve;
    this.#tell = tell;
  }

  /** What `up` was called with; null while there is no line. */
  get current(): Line | null {
    return this.#current;
  }

  /** Settles when the first line is up. Fails with a `ConnectError`, and then there is no other. */
  open(): Promise<void> {
    return new Promise((opened, failed) => {
      this.#over = this.#keep(opened, failed);
    });
  }

  /** Settles when the line is gone. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#over;
  }

  /** Never rejects. */
  async #keep(opened: () => void, failed: (error: ConnectError) => void): Promise<void> {
    const { signal } = this.#closing;
    let wasUp = false;
    for (let attempts = 0; !signal.aborted; attempts += 1) {
      let upAt: number | null = null;
      const error = await this.#once(() => {
        upAt = performance.now();
        if (wasUp) this.#tell("connected");
        wasUp = true;
        opened();
      });
      if (!wasUp) return failed(error);
      if (signal.aborted) return;
      if (error.outcome === "permanent") return this.#tell({ failed: error.message });
      if (upAt !== null) this.#tell({ lost: error.message });
      if (upAt !== null && performance.now() - upAt > LASTED_MS) attempts = 0;
      await pause(Math.min(FIRST_PAUSE_MS * 2 ** attempts, LONGEST_PAUSE_MS), signal);
    }
    failed(new ConnectError("retryable", "The line was closed.")); // For one that was closed before it was opened.
  }

  /** Why it ended. Each line has a signal of its own, so that whoever listens to it goes with it. */
  async #once(onUp: () => void): Promise<ConnectError> {
    const { signal } = this.#closing;
    const end = new AbortController();
    const stop = (): void => end.abort();
    let isOver = false;
    signal.addEventListener("abort", stop);
    try {
      await this.#serve((line) => {
        if (isOver || signal.aborted) return;
        if (this.#current === null) onUp();
        this.#current = line;
      }, end.signal);
      return new ConnectError("retryable", "The line was cut.");
    } catch (cause) {
      if (cause instanceof ConnectError) return cause;
      return new ConnectError("retryable", `The line broke off: ${reasonOf(cause)}.`, { cause });
    } finally {
      signal.removeEventListener("abort", stop);
      this.#current = null;
      isOver = true;
    }
  }
}
