/** How a Telegram bot is set up. */

import { withoutSlashes } from "../../util/text.js";
import { ConnectError } from "../adapter.js";
import { CHECK_MS, type PlatformSetup } from "../setup.js";
import { BOT_API, botOf } from "./config.js";
import { WRONG_TOKEN } from "./wrong-token.js";

export const setup: PlatformSetup = {
  steps: [
    "In Telegram, write /newbot to @BotFather. It asks for a name and for a username that ends in bot, and gives you a token: 123456789:AA… Whoever has it is the bot.",
    "For groups: Telegram shows a bot only mentions of it, answers to it, and commands. If it is to read all that is said, turn off Group Privacy: /setprivacy to @BotFather, then add the bot to the group anew.",
  ],
  fields: [
    {
      key: "token",
      question: "The bot's token, from @BotFather",
      isSecret: true,
      looks: /^\d{1,16}:[\w-]+$/,
      hint: "A token is a number, a colon and letters: 123456789:AA…",
    },
  ],
  person: {
    looks: /^[1-9]\d{0,15}$/,
    hint: "a number; `baton people list` shows it once you have written to the bot",
  },
  chat: { looks: /^-?[1-9]\d{0,15}(?::\d+)?$/, hint: "your own id for the chat of two, -100… for a group" },
  async check({ token = "", baseUrl = BOT_API }) {
    if (botOf(token) === null) throw new ConnectError("permanent", WRONG_TOKEN);
    const { Api } = await import("grammy");
    const { cannotConnect } = await import("./failure.js");
    const api = new Api(token, {
      apiRoot: withoutSlashes(baseUrl),
      timeoutSeconds: CHECK_MS / 1_000,
    });
    const me = await api.getMe().catch(cannotConnect);
    const privacy = me.can_read_all_group_messages
      ? []
      : ["Group Privacy is on: in groups it hears only what is addressed to it."];
    return {
      who: `@${me.username} (${me.first_name}, ${me.id})`,
      next: [`Write to it: https://t.me/${me.username}`, ...privacy],
    };
  },
};
