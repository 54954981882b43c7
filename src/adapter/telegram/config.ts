/** What the adapter is told, and how it is opened: the library is loaded only then. */

import { withoutSlashes } from "../../util/text.js";
import { type Adapter, ConnectError } from "../adapter.js";
import { WRONG_TOKEN } from "./wrong-token.js";

export interface TelegramSettings {
  /** What @BotFather gave: `<bot id>:<secret>`. */
  readonly token: () => string;
  /** Another server of the Bot API than Telegram's own. */
  readonly baseUrl?: string;
}

export const BOT_API = "https://api.telegram.org";

/** The bot's id, which its token begins with; null where it is no token. */
export function botOf(token: string): string | null {
  return /^(\d{1,16}):[\w-]+$/.exec(token)?.[1] ?? null;
}

/** Calls nobody yet: whether the token is right shows when it connects. */
export async function openTelegram(settings: TelegramSettings): Promise<Adapter> {
  const token = settings.token().trim();
  const account = botOf(token);
  if (account === null) throw new ConnectError("permanent", WRONG_TOKEN);
  const { TelegramAdapter } = await import("./adapter.js");
  const root = withoutSlashes(settings.baseUrl ?? BOT_API);
  return new TelegramAdapter({ account, token, root });
}
