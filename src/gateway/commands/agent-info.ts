/** What the program that composes the gateway tells the commands. */
import type { McpState } from "../../agent/mcp/server.js";
import type { Clock } from "../../util/clock.js";

export interface ModelInfo {
  /** Null for the first one that its server lists. */
  readonly name: string | null;
  /** Where it is, and why it was chosen: `api.openai.com, by OPENAI_API_KEY`. */
  readonly where: string;
  /** The other models; rejects if its server does not list them. */
  list(): Promise<readonly string[]>;
}

export interface AgentInfo {
  /** The agent's name. */
  readonly agent: string;
  readonly clock: Clock;
  /** The state of the MCP servers; absent if there are none. */
  readonly mcp?: () => readonly McpState[];
  /** The default model; absent if the agent has none. */
  readonly model?: ModelInfo;
}
