/** The settings of the Slack adapter. */
import type { WebhookPlace } from "../webhook.js";

export interface SlackSettings {
  /** `xoxb-…`: what the bot may do. Asked for at each connect. */
  readonly botToken: () => string;
  /** `xapp-…`: the right to open a socket. */
  readonly appToken?: () => string;
  /** Slack posts to us, and signs with this; without it we open a socket. */
  readonly signingSecret?: () => string;
  /** Where we listen for Slack's posts. */
  readonly webhook?: WebhookPlace;
  /** Another place for Slack's Web API. */
  readonly baseUrl?: string;
  /** How long a call may take. */
  readonly timeoutMs?: number;
  /** The clock, in ms: posts that are older than five minutes are refused. */
  readonly now?: () => number;
}

/** How Slack's events come: over a socket that we open, or by posts to us. */
export type SlackMode = "socket" | "http";

/** As it is set; otherwise by what is set beside it. With both, it is the socket, which needs no public address. */
export function modeOf({
  mode,
  appToken,
  signingSecret,
}: {
  readonly mode?: unknown;
  readonly appToken?: unknown;
  readonly signingSecret?: unknown;
}): SlackMode {
  if (mode === "socket" || mode === "http") return mode;
  return signingSecret !== undefined && appToken === undefined ? "http" : "socket";
}
