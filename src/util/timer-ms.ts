/** The longest that a timer of Node's can wait: with more it fires at once. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** A delay that comes from outside, as a timer takes it. Whoever waits longer looks at the clock when it fires. */
export function timerMs(ms: number): number {
  return ms > 0 ? Math.min(ms, LONGEST_TIMER_MS) : 0;
}
