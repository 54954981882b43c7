/**
 * Signs of life of the process that a file names: the file's time, which that process sets anew again and again. They
 * count for those who cannot see the process itself, in another container or on another machine.
 */
import { statSync, utimesSync } from "node:fs";
import { fateOf } from "./owner.js";

const BEAT_MS = 5_000;
/** So long without a sign, and the process is taken to have ended. */
export const SILENT_MS = 30_000;

/** Whether the file still speaks for the process that it names. */
export function isStillOf(file: string, owner: string, now: number): boolean {
  const fate = fateOf(owner);
  if (fate !== "unknown") return fate === "alive";
  const { mtimeMs } = statSync(file, { throwIfNoEntry: false }) ?? {};
  return mtimeMs !== undefined && Math.abs(now - mtimeMs) < SILENT_MS;
}

/** Gives signs of life as long as the file is this process's; calls back once where it is not. Returns how to end that. */
export function giveSigns(file: string, isOurs: () => boolean, onLost: () => void): () => void {
  const beat = setInterval(() => {
    try {
      if (isOurs()) return utimesSync(file, new Date(), new Date());
    } catch {
      return; // A disk that fails for a moment: the next sign may be given.
    }
    clearInterval(beat);
    onLost();
  }, BEAT_MS);
  beat.unref();
  return () => clearInterval(beat);
}
