/** The name of a process of this machine that has certainly ended, unless something else is said of it. */
import { processOwner } from "../../src/gateway/owner.js";

/** No system has a pid as large. */
const NO_PID = 999_999_999;

export function endedOwner(
  more: { readonly pid?: number; readonly place?: string; readonly id?: string } = {},
): string {
  return JSON.stringify({ ...JSON.parse(processOwner()), pid: NO_PID, start: "1", ...more });
}
