/** The jobs, read again when they change, and often while one of them runs: what it did is awaited. */
import type { WireJob } from "../../../web/wire.js";
import { type Loaded, useLoaded } from "../../loaded.js";
import { isGoingOn } from "../state-words.js";
import { useFresh } from "../use-tick.js";

const OFTEN_S = 2;
const SELDOM_S = 15;

export function useJobs(): Loaded<readonly WireJob[]> {
  const loaded = useLoaded<{ readonly items: readonly WireJob[] }>("/api/jobs", ["jobs"]);
  const jobs = loaded.value?.items ?? null;
  const isRunning = jobs?.some(({ lastRun }) => lastRun !== null && isGoingOn(lastRun)) ?? false;
  useFresh(isRunning ? OFTEN_S : SELDOM_S, loaded);
  return { ...loaded, value: jobs };
}
