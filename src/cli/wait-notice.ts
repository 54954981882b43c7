/** Says that a script is waiting for another process, so that it does not look stuck. */
import type { Clock } from "../util/clock.js";

const PATIENCE_MS = 2_000;

const WAITING = "Another process is answering in this session. Waiting until it is done.";

/** Call it again and again while waiting; it prints the notice once, two seconds after the first call. */
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
