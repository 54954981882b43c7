/**
 * Signs of life of the process that a file names: the file's time, which that process updates again and again. They are
 * for processes that can't see it, because they are in another container or on another machine.
 */
import { statSync, utimesSync } from "node:fs";
import { fateOf } from "./holder.js";

const BEAT_MS = 5_000;
/** After this time without a sign, the process counts as ended. */
export const SILENT_MS = 30_000;

/** True if the process that the file names still counts as alive. */
export function isStillOf(file: string, holder: string, now: number): boolean {
  const fate = fateOf(holder);
  if (fate !== "unknown") return fate === "alive";
  const { mtimeMs } = statSync(file, { throwIfNoEntry: false }) ?? {};
  return mtimeMs !== undefined && Math.abs(now - mtimeMs) < SILENT_MS;
}

/**
 * Gives signs of life as long as the file belongs to this process; calls back once if it no longer does. Returns a
 * function that ends it.
 */
export function giveSigns(file: string, isOurs: () => boolean, onLost: () => void): () => void {
  const beat = setInterval(() => {
    try {
      if (isOurs()) return utimesSync(file, new Date(), new Date());
    } catch {
      return; // The disk may fail for a moment: the next sign may succeed.
    }
    clearInterval(beat);
    onLost();
  }, BEAT_MS);
  beat.unref();
  return () => clearInterval(beat);
}
