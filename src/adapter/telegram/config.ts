/** The settings of the Telegram adapter. */

export interface TelegramSettings {
  /** What @BotFather gave: `<bot id>:<secret>`. */
  readonly token: () => string;
  /** Another server of the Bot API than Telegram's own. */
  readonly baseUrl?: string;
  /** How long an answer is waited for. */
  readonly timeoutMs?: number;
}

export const BOT_API = "https://api.telegram.org";

/** The bot's id, which its token begins with; null where it is no token. */
export function botOf(token: string): string | null {
  return /^(\d{1,16}):[\w-]+$/.exec(token)?.[1] ?? null;
}
