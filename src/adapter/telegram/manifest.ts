/** Telegram, by a bot of @BotFather's. */
import { registerPlatform } from "../../session/platform.js";
import { address, secret } from "../../util/setting.js";
import { manifest } from "../manifest.js";

registerPlatform(
  "telegram",
  manifest({
    title: "Telegram",
    userId: {
      pattern: /^\d{1,15}$/,
      like: "a number such as 123456789",
      hint: "a number; `baton people list` shows it once you have written to the bot",
    },
    chatId: {
      pattern: /^-?\d{1,15}$/,
      like: "a number such as -1001234567890",
      hint: "your own id for the chat of two, -100… for a group",
    },
    settings: {
      token: secret({
        description: "The bot's token, from @BotFather.",
        variable: "TELEGRAM_BOT_TOKEN",
        question: {
          ask: "The bot's token, from @BotFather",
          looks: /^\d{1,16}:[\w-]+$/,
          hint: "A token is a number, a colon and letters: 123456789:AA…",
        },
      }),
      baseUrl: address({ description: "Another Bot API server.", fallback: "the platform's own" }),
    },
    steps: [
      "In Telegram, write /newbot to @BotFather. It asks for a name and for a username that ends in bot, and gives you a token: 123456789:AA… Whoever has it is the bot.",
      "For groups: Telegram shows a bot only mentions of it, answers to it, and commands. If it is to read all that is said, turn off Group Privacy: /setprivacy to @BotFather, then add the bot to the group anew.",
    ],
    check: async (answers) => (await import("./check.js")).check(answers),
    open: async (settings) => (await import("./config.js")).openTelegram(settings),
  }),
);
