/** Telegram, by a bot of @BotFather's. */
import { registerPlatform, type ToldChat } from "../../session/platform.js";
import { address, port, secret, textOr } from "../../util/setting.js";
import { manifest } from "../manifest.js";
import { LIMITS } from "./limits.js";
import { GENERAL_TOPIC } from "./topics.js";

registerPlatform(
  "telegram",
  manifest({
    title: "Telegram",
    userId: {
      pattern: /^\d{1,15}$/,
      like: "a number such as 123456789",
      hint: "a number; `baton people list` shows it after you write to the bot",
    },
    chatId: {
      pattern: /^-?\d{1,15}$/,
      like: "a number such as -1001234567890",
      hint: "your own id for your private chat, -100… for a group",
    },
    liveChat,
    limits: LIMITS,
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
      webhookUrl: address({
        description:
          "The https address at which Telegram posts messages to Baton. Without it, Baton asks Telegram for them.",
        variable: "TELEGRAM_WEBHOOK_URL",
      }),
      host: textOr("127.0.0.1", {
        description: "The address on which the webhook listens, behind a proxy with TLS.",
        variable: "TELEGRAM_WEBHOOK_HOST",
      }),
      port: port(8_646, {
        description: "The port on which the webhook listens.",
        variable: "TELEGRAM_WEBHOOK_PORT",
      }),
      baseUrl: address({ description: "Another Bot API server.", fallback: "the platform's own" }),
    },
    steps: [
      "In Telegram, write /newbot to @BotFather. Choose a name, and a username that ends in bot. You get a token: 123456789:AA… Anyone who has it can act as the bot.",
      "For groups: Telegram shows a bot only commands and messages that mention it or reply to it. If the bot should read everything, turn off Group Privacy: write /setprivacy to @BotFather, then remove the bot from the group and add it again.",
      "Baton asks Telegram for messages, so you need no public address. If Telegram should post them to you instead, set the https address as webhookUrl in config.yaml.",
    ],
    check: async (answers) => (await import("./check.js")).check(answers),
    async open({ webhookUrl: url, host, port, ...settings }) {
      const webhook = url === undefined ? {} : { webhook: { url, host, port } };
      return new (await import("./adapter.js")).TelegramAdapter({ ...settings, ...webhook });
    },
  }),
);

/** A private chat has its person's number, every other chat a negative one. A topic is a thread; the general one is not. */
function liveChat({ chatId, chatType, threadId }: ToldChat): ToldChat {
  if (/^\d+$/.test(chatId)) return { chatId, chatType: "dm", ...(threadId ? { threadId } : {}) };
  if (chatType === "channel") return { chatId, chatType };
  return threadId && threadId !== GENERAL_TOPIC
    ? { chatId, chatType: "thread", threadId }
    : { chatId, chatType: "group" };
}
