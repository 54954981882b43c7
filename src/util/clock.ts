/** Milliseconds UTC. Passed in wherever a decision depends on the time, so that tests can set it. */
export type Clock = () => number;

/**
 * A clock that starts with the time of the given one and then runs evenly, even if somebody sets that one. For waits
 * and pauses, never for dates.
 */
export function steadyClock(clock: Clock): Clock {
  const ahead = clock() - performance.now();
  return () => Math.floor(performance.now() + ahead);
}
