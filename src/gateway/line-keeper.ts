/**
 * Keeps the line of an adapter up: when one ends, the next is begun after a pause (`line-policy.ts`), until it is stopped
 * or somebody has to mend something. There is never more than one, and its speaker is gone with it.
 */
import { type Adapter, ConnectError, type Line, type Speaker } from "../adapter/adapter.js";
import { pause, reasonOf } from "../adapter/http-call.js";
import { speakerUntil } from "../adapter/speaker.js";
import { platformTraits } from "../session/platform.js";
import { timerMs } from "../util/timer-ms.js";
import { failuresAfter, type LineEnd, pauseAfter } from "./line-policy.js";

export interface KeeperSetting {
  readonly adapter: Adapter;
  /** What every line is given. */
  readonly given: Omit<Line, "up" | "end">;
  readonly onUp: () => void;
  /** A line ended, or did not come about. After a `permanent` error there is another only if the error says when. */
  readonly onDown: (error: ConnectError) => void;
  /** How long a platform may take to be reached. */
  readonly connectMs?: number;
  readonly random?: () => number;
}

const CONNECT_MS = 30_000;
/** How long a line that is not up may take to go. */
const LEAVE_MS = 3_000;

export class LineKeeper {
  readonly #setting: KeeperSetting;
  readonly #stopping = new AbortController();
  #speaker: Speaker | null = null;
  #over: Promise<void> = Promise.resolve();

  constructor(setting: KeeperSetting) {
    this.#setting = setting;
  }

  /** Null while there is no line. */
  get speaker(): Speaker | null {
    return this.#speaker;
  }

  /** Settles when the first line is up, or did not come about. */
  start(): Promise<void> {
    return new Promise((tried) => {
      this.#over = this.#keep(tried);
    });
  }

  /** Settles when the line is gone. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#over;
  }

  async #keep(tried: () => void): Promise<void> {
    const { onDown, random = Math.random } = this.#setting;
    const { signal } = this.#stopping;
    let failures = 0;
    while (!signal.aborted) {
      const { error, ...end } = await this.#once(tried);
      failures = failuresAfter(failures, end);
      const isLast = error.outcome === "permanent" && error.retryAfterMs === undefined;
      const pauseMs = pauseAfter(failures, end, random());
      if (pauseMs === 0 && !isLast) continue; // The platform wants it so: that is no trouble.
      if (!signal.aborted) onDown(error);
      tried();
      if (isLast) return;
      await pause(pauseMs, signal);
    }
    tried();
  }

  /** One line, and how it ended. Each has a signal of its own, so that whoever listens to it goes with it. */
  async #once(tried: () => void): Promise<LineEnd & { readonly error: ConnectError }> {
    const { adapter, given, onUp } = this.#setting;
    const { title } = platformTraits(adapter.platform);
    const end = new AbortController();
    let upAt: number | null = null;
    let isOver = false;
    const up = (speaker: Speaker): void => {
      if (isOver || end.signal.aborted) return;
      this.#speaker = speakerUntil(speaker, () => isOver || end.signal.aborted, title);
      if (upAt !== null) return;
      upAt = performance.now();
      onUp();
      tried();
    };
    const patience = this.#patience(end, () => upAt !== null);
    let thrown: unknown;
    try {
      await Promise.race([adapter.serve({ ...given, up, end: end.signal }), patience.ended]);
    } catch (error) {
      thrown = error;
    }
    patience.over();
    isOver = true;
    this.#speaker = null;
    const error = patience.tooLate ?? asConnectError(thrown);
    return {
      error,
      lastedMs: upAt === null ? 0 : performance.now() - upAt,
      retryAfterMs: error.retryAfterMs,
    };
  }

  /**
   * Ends a line that does not come up in time, and one that has to go. A line that is up is waited for; one that is not
   * may take no notice, and is left behind after a while.
   */
  #patience(end: AbortController, isUp: () => boolean) {
    const { connectMs = CONNECT_MS } = this.#setting;
    const { signal } = this.#stopping;
    let tooLate: ConnectError | undefined;
    let left: () => void = () => {};
    const ended = new Promise<void>((resolve) => {
      left = resolve;
    });
    let leaving: NodeJS.Timeout | undefined;
    const go = (): void => {
      end.abort();
      if (!isUp()) leaving = setTimeout(left, timerMs(Math.min(connectMs, LEAVE_MS)));
    };
    const coming = setTimeout(() => {
      if (isUp()) return;
      tooLate = new ConnectError("retryable", `It did not answer within ${connectMs / 1_000} s.`);
      go();
    }, timerMs(connectMs));
    signal.addEventListener("abort", go);
    if (signal.aborted) go();
    return {
      ended,
      /** Why the line was given up, if it was. */
      get tooLate() {
        return tooLate;
      },
      over: () => {
        signal.removeEventListener("abort", go);
        clearTimeout(coming);
        clearTimeout(leaving);
      },
    };
  }
}

function asConnectError(thrown: unknown): ConnectError {
  if (thrown === undefined) return new ConnectError("retryable", "The connection was cut.");
  if (thrown instanceof ConnectError) return thrown;
  return new ConnectError("retryable", `The connection broke off: ${reasonOf(thrown)}.`, { cause: thrown });
}
