/** Mattermost, by a bot account. */
import { registerPlatform, type ToldChat } from "../../session/platform.js";
import { address, secret } from "../../util/setting.js";
import { manifest } from "../manifest.js";
import { LIMITS } from "./limits.js";

const ID = { pattern: /^[a-z0-9]{26}$/, like: "26 letters and digits" };

registerPlatform(
  "mattermost",
  manifest({
    title: "Mattermost",
    userId: { ...ID, hint: "in your profile's menu, or `baton people list` after you write to the bot" },
    chatId: { ...ID, hint: "click the channel's name → View Info; the id is at the end" },
    liveChat,
    limits: LIMITS,
    settings: {
      url: address({
        description: "The server's address.",
        variable: "MATTERMOST_URL",
        question: {
          ask: "The server's address",
          looks: /^https?:\/\/\S+$/,
          hint: "Give the address that you open in the browser, such as https://chat.example.org.",
        },
      }),
      token: secret({
        description: "The bot's access token.",
        variable: "MATTERMOST_BOT_TOKEN",
        question: {
          ask: "The bot's access token",
          looks: /^\S+$/,
          hint: "Paste the token: one word, without spaces.",
        },
      }),
    },
    steps: [
      "System Console → Integrations → Bot Accounts: turn on Enable Bot Account Creation.",
      "Integrations → Bot Accounts → Add Bot Account. Copy the token; Mattermost shows it once. Anyone who has it can act as the bot.",
    ],
    check: async (answers) => (await import("./check.js")).check(answers),
    open: async (settings) => new (await import("./adapter.js")).MattermostAdapter(settings),
  }),
);

/** A thread is a place of its own, except in a chat of two. */
function liveChat({ chatId, chatType, threadId }: ToldChat): ToldChat {
  if (!threadId) return { chatId, chatType: chatType === "thread" ? "channel" : chatType };
  return { chatId, chatType: chatType === "dm" ? "dm" : "thread", threadId };
}
