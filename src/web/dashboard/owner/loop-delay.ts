/**
 * How long work waits for this process: the delays of the event loop over the last minute. It begins anew each minute, and until
 * the new minute is over the last one counts as well.
 */
import { monitorEventLoopDelay } from "node:perf_hooks";
import type { WireHealth } from "../../wire.js";

type Delays = WireHealth["loopDelay"];

/** What measures, in nanoseconds. */
export interface DelayHistogram {
  readonly count: number;
  readonly mean: number;
  readonly max: number;
  percentile(percent: number): number;
  reset(): void;
  enable(): boolean;
  disable(): boolean;
}

/** It looks so often; what it measures has this in it. */
const EVERY_MS = 20;
const MINUTE_MS = 60_000;
const NOTHING: Delays = { mean: 0, p99: 0, max: 0 };

export class LoopDelay {
  readonly #histogram: DelayHistogram;
  readonly #timer: NodeJS.Timeout;
  #lastMinute: Delays = NOTHING;

  constructor(histogram: DelayHistogram = monitorEventLoopDelay({ resolution: EVERY_MS })) {
    this.#histogram = histogram;
    histogram.enable();
    this.#timer = setInterval(() => this.turn(), MINUTE_MS).unref();
  }

  get delays(): Delays {
    const now = delaysIn(this.#histogram);
    const before = this.#lastMinute;
    return {
      mean: Math.max(now.mean, before.mean),
      p99: Math.max(now.p99, before.p99),
      max: Math.max(now.max, before.max),
    };
  }

  /** Another minute begins. */
  turn(): void {
    this.#lastMinute = delaysIn(this.#histogram);
    this.#histogram.reset();
  }

  end(): void {
    clearInterval(this.#timer);
    this.#histogram.disable();
  }
}

function delaysIn(histogram: DelayHistogram): Delays {
  if (histogram.count === 0) return NOTHING;
  return {
    mean: delayMs(histogram.mean),
    p99: delayMs(histogram.percentile(99)),
    max: delayMs(histogram.max),
  };
}

function delayMs(nanoseconds: number): number {
  return Math.max(0, Math.round((nanoseconds / 1e6 - EVERY_MS) * 10) / 10);
}
