/** What the adapter is told, and how it is opened: the library is loaded only then. */
import { type Adapter, ConnectError } from "../adapter.js";
import { WRONG_TOKEN } from "./wrong-token.js";

export interface TelegramSettings {
  /** What @BotFather gave: `<bot id>:<secret>`. */
  readonly token: () => string;
  /** Another server of the Bot API than Telegram's own. */
  readonly baseUrl?: string;
}

const BOT_API = "https://api.telegram.org";

/** Calls nobody yet: whether the token is right shows when it connects. */
export async function openTelegram(settings: TelegramSettings): Promise<Adapter> {
  const token = settings.token().trim();
  const account = /^(\d{1,16}):[\w-]+$/.exec(token)?.[1];
  if (!account) throw new ConnectError("permanent", WRONG_TOKEN);
  const { TelegramAdapter } = await import("./adapter.js");
  const root = (settings.baseUrl ?? BOT_API).replace(/\/+$/, "");
  return new TelegramAdapter({ account, token, root });
}
