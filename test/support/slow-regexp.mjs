/** Whether a regular expression can be made slow: by its automaton, and where that says nothing by trying. */
import { check } from "recheck";

/** The text that makes it slow; null where there is none, or none was found within that time. */
export async function slowTextFor(pattern, flags, timeoutMs) {
  const result = await check(pattern, flags, { timeout: timeoutMs });
  return result.status === "vulnerable" ? result.attack.pattern : null;
}
