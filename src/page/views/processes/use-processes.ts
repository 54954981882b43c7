/** The background processes, read again when they change. */
import type { WireProcess } from "../../../web/wire.js";
import { type Loaded, useLoaded } from "../../loaded.js";
import { useFresh } from "../use-tick.js";

/** In case nobody tells that one has ended. */
const SELDOM_S = 10;

export function useProcesses(): Loaded<readonly WireProcess[]> {
  const loaded = useLoaded<{ readonly items: readonly WireProcess[] }>("/api/processes", ["processes"]);
  useFresh(SELDOM_S, loaded);
  return { ...loaded, value: loaded.value?.items ?? null };
}
