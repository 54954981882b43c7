/** What a gateway is given so that commands can run in the background. */
import type { Processes } from "../../process/processes.js";

export interface GatewayProcesses {
  readonly processes: Processes;
  readonly limits: ProcessLimits;
}

export interface ProcessLimits {
  /** The longest that the agent may wait for one at a time. */
  readonly maxWaitSeconds: number;
  /** How many characters of an output can be read at once. */
  readonly outputCharacters: number;
}
