/** Where people ask for what the gateway does beside answering. */
import type { HandoffDesk } from "./handoff/desk.js";
import type { JobDesk } from "./jobs/desk.js";
import type { MemoryDesk } from "./memory/desk.js";
import type { Upkeep } from "./memory/upkeep.js";
import type { GatewayProcesses } from "./processes/options.js";
import type { Told } from "./told.js";

export interface Desks {
  readonly handoffs: HandoffDesk;
  /** Null if nothing can run in the background. */
  readonly processes: GatewayProcesses | null;
  /** Null if there are no scheduled jobs here. */
  readonly jobs: JobDesk | null;
  /** Null if nothing is summed up here. */
  readonly upkeep: Upkeep | null;
  /** Null if nothing is remembered about people. */
  readonly memory: MemoryDesk | null;
  /** What the agent is told. */
  readonly told: Told;
}
