/** The settings of the Slack adapter. */

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
