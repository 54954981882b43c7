/** What the commands are told by whoever composes the gateway. */
import type { McpState } from "../../agent/mcp/server.js";
import type { Clock } from "../../util/clock.js";

export interface Facts {
  /** The agent's name. */
  readonly agent: string;
  readonly clock: Clock;
  /** How the servers are whose tools the agent uses; absent where there are none. */
  readonly mcp?: () => readonly McpState[];
}
