/**
 * Whether a turn is tried again that processes have ended in. Many ends are no fault of it: only those count in which it
 * was the only one running. So from the third try on it is run alone, and one that ends its process each time is found
 * out; whatever else happens, at some time it is enough.
 */
import type { Turn } from "./store.js";

/** Tries that are made beside other turns. */
const FREE_TRIES = 2;
/** Ends of processes in which it was alone: enough to blame it, after a third try. */
const LONE_DEATHS = 2;
const MOST_TRIES = 8;

/** `attempt`: the try that is to come. */
export function isTriedAlone({ attempt }: Pick<Turn, "attempt">): boolean {
  return attempt > FREE_TRIES;
}

export function isGivenUp({ attempt, loneDeaths }: Pick<Turn, "attempt" | "loneDeaths">): boolean {
  if (attempt > MOST_TRIES) return true;
  return attempt > FREE_TRIES + 1 && loneDeaths >= LONE_DEATHS;
}
