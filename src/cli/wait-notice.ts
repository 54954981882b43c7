/** A script that waits for another process should not look as if it hung: it says so, once it has waited a little. */
import type { Clock } from "../util/clock.js";

const PATIENCE_MS = 2_000;

const WAITING = "Another process is answering in this session; this waits until it is done.";

/** To be called as long as one waits; says it once, two seconds after the first call. */
export function waitNotice(clock: Clock, say: (notice: string) => void): () => void {
  let since: number | null = null;
  let isSaid = false;
  return () => {
    const now = clock();
    since ??= now;
    if (isSaid || now - since < PATIENCE_MS) return;
    isSaid = true;
    say(WAITING);
  };
}
