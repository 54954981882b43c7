/**
 * When the screen is drawn: at once, or soon and once for all that changes until then. A screen that is slow to draw is
 * drawn less often, so that others get their turn.
 */
import type { Clock } from "../../util/clock.js";
import { timerMs } from "../../util/timer-ms.js";

const FRAME_MS = 16;
const TICK_MS = 500;
const SLOWEST_MS = 500;

export class Redrawing {
  readonly #draw: () => void;
  readonly #clock: Clock;
  #timer: NodeJS.Timeout | null = null;
  /** For what changes by itself: seconds that are counted. */
  #ticking: NodeJS.Timeout | null = null;
  #lastMs = 0;

  constructor(draw: () => void, clock: Clock) {
    this.#draw = draw;
    this.#clock = clock;
  }

  now(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    const startedAt = this.#clock();
    this.#draw();
    this.#lastMs = this.#clock() - startedAt;
  }

  soon(): void {
    this.#timer ??= setTimeout(
      () => this.now(),
      timerMs(Math.max(FRAME_MS, Math.min(2 * this.#lastMs, SLOWEST_MS))),
    );
  }

  /** Draws again in a while, whether something changes or not. */
  later(): void {
    this.#ticking ??= setTimeout(() => {
      this.#ticking = null;
      this.soon();
    }, TICK_MS);
  }

  stop(): void {
    if (this.#timer) clearTimeout(this.#timer);
    if (this.#ticking) clearTimeout(this.#ticking);
    this.#timer = null;
    this.#ticking = null;
  }
}
