/**
 * Decides whether to try a turn again after its process ended. Often that is not the turn's fault: an end counts only
 * if the turn was the only one running. So from the third try on it runs alone, which shows a turn that ends its
 * process each time. After a number of tries it is enough in any case.
 */
import type { InboxItem, Turn } from "./store.js";

/** Tries beside other turns. */
const FREE_TRIES = 2;
/** Ends of processes in which it ran alone: enough to blame it, after a third try. */
const LONE_DEATHS = 2;
const MOST_TRIES = 8;
/** A scheduled run is retried at most twice. */
const MOST_RUN_TRIES = 3;

/** `attempt`: the next try. */
export function isTriedAlone({ attempt }: Pick<Turn, "attempt">): boolean {
  return attempt > FREE_TRIES;
}

export function isGivenUp(
  { attempt, loneDeaths }: Pick<Turn, "attempt" | "loneDeaths">,
  { made }: Pick<InboxItem, "made">,
): boolean {
  if (attempt > (made === "job" ? MOST_RUN_TRIES : MOST_TRIES)) return true;
  return attempt > FREE_TRIES + 1 && loneDeaths >= LONE_DEATHS;
}
