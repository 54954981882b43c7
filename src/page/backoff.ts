/** How long to wait before trying again: twice as long each time, and never all browsers at once. */
import { timerMs } from "../util/timer-ms.js";

const FIRST_MS = 500;
const LONGEST_MS = 15_000;

/** `random` is from 0 to 1. */
export function backoffMs(failures: number, random: number): number {
  const most = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(failures, 10));
  return Math.round(most * (0.5 + random / 2));
}

/** Waits that long, or until `wake` is told. */
export class Pause {
  #end: () => void = () => {};

  for(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, timerMs(ms));
      this.#end = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  wake(): void {
    this.#end();
  }
}
