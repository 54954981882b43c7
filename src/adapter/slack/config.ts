/** What Slack needs to be told, and how its adapter is made: the library is loaded only then. */
import type { Adapter } from "../adapter.js";

export interface SlackSettings {
  /** `xoxb-…`: what the bot may do. Asked for at each connect. */
  readonly botToken: () => string;
  /** `xapp-…`: the right to open a socket. */
  readonly appToken: () => string;
  /** Another place for Slack's Web API. */
  readonly baseUrl?: string;
  /** How long a call may take. */
  readonly timeoutMs?: number;
}

/** Calls nobody yet: whether the tokens are right shows when it connects. */
export async function openSlack(settings: SlackSettings): Promise<Adapter> {
  const { SlackAdapter } = await import("./adapter.js");
  return new SlackAdapter(settings);
}
