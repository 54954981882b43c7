/** Milliseconds UTC. Passed in wherever a decision depends on the time, so that tests set it. */
export type Clock = () => number;

/**
 * Time as it passes: it begins with the clock and then goes on evenly, whatever the clock is set to. For waits and
 * pauses, never for dates.
 */
export function steadyClock(clock: Clock): Clock {
  const ahead = clock() - performance.now();
  return () => Math.floor(performance.now() + ahead);
}
