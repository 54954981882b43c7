/** The name of a process of this machine that has certainly ended, unless something else is said of it. */
import { processHolder } from "../../src/util/holder.js";

/** No system has a pid as large. */
const NO_PID = 999_999_999;

export function endedHolder(
  more: { readonly pid?: number; readonly place?: string; readonly id?: string } = {},
): string {
  return JSON.stringify({ ...JSON.parse(processHolder()), pid: NO_PID, start: "1", ...more });
}
