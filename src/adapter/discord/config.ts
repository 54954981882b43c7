/** What a Discord account is set up with. */

/** Where bots are made. */
export const PORTAL = "https://discord.com/developers/applications";

export interface DiscordSettings {
  /** The bot's token; asked for each time that it connects. */
  readonly token: () => string;
  /** The REST API without its version; the gateway's address comes from there. */
  readonly baseUrl?: string;
  /** How long a call may take. */
  readonly timeoutMs?: number;
}
