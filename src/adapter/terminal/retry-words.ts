/** That a model is asked again, in words. Pure: how long it still takes is passed in. */
import type { ModelRetry } from "../../session/turn-facts.js";

/** `api.example.com is rate-limiting you (429): trying again in 8 s (2 of 4)`; the seconds that are left are rounded up. */
export function retryWords({ reason, attempt, attempts }: ModelRetry, leftMs: number): string {
  const seconds = Math.ceil(leftMs / 1_000);
  const when = seconds > 0 ? `trying again in ${seconds} s` : "trying again";
  return `${reason}: ${when} (${attempt} of ${attempts})`;
}
