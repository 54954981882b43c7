import { setTimeout as delay } from "node:timers/promises";
import { timerMs } from "./timer-ms.js";

/** What a promise gives, or null if that takes longer. Then nobody hears of its failure. */
export async function withinTime<Value>(work: Promise<Value>, ms: number): Promise<Value | null> {
  const over = new AbortController();
  const late = delay(timerMs(ms), null, { signal: over.signal }).catch(() => null);
  work.catch(() => {});
  try {
    return await Promise.race([work, late]);
  } finally {
    over.abort();
  }
}
