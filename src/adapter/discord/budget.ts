/**
 * How often the bot has introduced itself (IDENTIFY). Discord resets the token of a bot that does so too often in a day,
 * so we stay far below that, also over many processes that each start and die.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { timerMs } from "../../util/timer-ms.js";
import type { Memory } from "../adapter.js";

const NAME = "identifies";
export const IDENTIFIES_A_DAY = 50;
const DAY_MS = 24 * 60 * 60 * 1_000;
const STORE_PAUSE_MS = 1_000;

/** When the next one may be: at once, or when the first of those that count is a day old. */
export function mayIdentifyAt(times: readonly number[], now: number): number {
  const counting = withinADay(times, now);
  const first = counting.at(-IDENTIFIES_A_DAY);
  return first === undefined ? now : first + DAY_MS;
}

/** A clock that was set back leaves times to come: they do not count. */
function withinADay(times: readonly number[], now: number): number[] {
  return times.filter((time) => time <= now && time > now - DAY_MS).sort((a, b) => a - b);
}

export class IdentifyBudget {
  readonly #memory: Memory;
  readonly #clock: () => number;

  constructor(memory: Memory, clock: () => number = Date.now) {
    this.#memory = memory;
    this.#clock = clock;
  }

  /** When the next one may be, or null where that is now. */
  async exhaustedUntil(): Promise<number | null> {
    const now = this.#clock();
    const at = mayIdentifyAt(await this.#times(), now);
    return at > now ? at : null;
  }

  /** Waits for its turn and spends one; fails only where it is told to stop. */
  async spend(signal: AbortSignal, onWait: (until: number) => void): Promise<void> {
    for (;;) {
      const until = await this.#try();
      if (until === null) return;
      if (until > this.#clock() + STORE_PAUSE_MS) onWait(until);
      const ms = Math.min(Math.max(until - this.#clock(), STORE_PAUSE_MS), DAY_MS);
      await sleep(timerMs(ms), undefined, { signal, ref: false });
    }
  }

  /** A store that fails now is asked again soon: nothing is spent that was not written down. */
  async #try(): Promise<number | null> {
    try {
      const now = this.#clock();
      const times = await this.#times();
      const at = mayIdentifyAt(times, now);
      if (at > now) return at;
      await this.#memory.write(NAME, JSON.stringify([...withinADay(times, now), now]));
      return null;
    } catch {
      return this.#clock() + STORE_PAUSE_MS;
    }
  }

  async #times(): Promise<number[]> {
    const text = await this.#memory.read(NAME);
    try {
      const times: unknown = JSON.parse(text ?? "[]");
      return Array.isArray(times) ? times.filter((time) => Number.isFinite(time)) : [];
    } catch {
      return [];
    }
  }
}
