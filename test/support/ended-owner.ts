/** The name of a process of this machine that has certainly ended. */
import { processOwner } from "../../src/gateway/owner.js";

/** No system has a pid as large. */
const NO_PID = 999_999_999;

export function endedOwner(pid = NO_PID): string {
  return processOwner().replace(/ \d+ \d+ /, ` ${pid} 1 `);
}
