/** The longest delay of a Node.js timer: a longer one fires at once. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Limits a delay from outside to what a timer supports. Code that waits longer checks the clock when it fires. */
export function timerMs(ms: number): number {
  return ms > 0 ? Math.min(ms, LONGEST_TIMER_MS) : 0;
}
