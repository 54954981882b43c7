/** Mattermost, by a bot account. */
import { registerPlatform } from "../../session/platform.js";
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
