/** The settings of the Telegram adapter. */
import type { WebhookPlace } from "../webhook.js";

export interface TelegramSettings {
  /** What @BotFather gave: `<bot id>:<secret>`. */
  readonly token: () => string;
  /** Telegram posts messages to it; without it Telegram is asked for them. */
  readonly webhook?: TelegramWebhook;
  /** Another server of the Bot API than Telegram's own. */
  readonly baseUrl?: string;
  /** How long an answer is waited for. */
  readonly timeoutMs?: number;
}

/** Telegram reaches it at this address; a proxy with a certificate passes its posts on, with their path. */
export interface TelegramWebhook extends Omit<WebhookPlace, "path"> {
  readonly url: string;
  /** How often Telegram is asked whether its posts arrive. */
  readonly lookMs?: number;
}

export const BOT_API = "https://api.telegram.org";

/** The bot's id, which its token begins with; null where it is no token. */
export function botOf(token: string): string | null {
  return /^(\d{1,16}):[\w-]+$/.exec(token)?.[1] ?? null;
}
