/** What the commands are told by whoever composes the gateway. */
import type { McpState } from "../../agent/mcp/server.js";
import type { Clock } from "../../util/clock.js";

export interface ModelFact {
  /** Null for the first one that its server lists. */
  readonly name: string | null;
  /** Where it is, and why it was chosen: `api.openai.com, by OPENAI_API_KEY`. */
  readonly where: string;
  /** What else there is; rejects where its server does not say. */
  list(): Promise<readonly string[]>;
}

export interface Facts {
  /** The agent's name. */
  readonly agent: string;
  readonly clock: Clock;
  /** How the servers are whose tools the agent uses; absent where there are none. */
  readonly mcp?: () => readonly McpState[];
  /** The model that answers where a session asks for no other; absent where the agent has none. */
  readonly model?: ModelFact;
}
