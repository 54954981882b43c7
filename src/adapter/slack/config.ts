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

/** Asks Slack whose token it is: that is the account. Fails with a `ConnectError`. */
export async function openSlack(settings: SlackSettings): Promise<Adapter> {
  const { SlackAdapter } = await import("./adapter.js");
  return SlackAdapter.open(settings);
}
