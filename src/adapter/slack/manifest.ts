/** Slack, by an app in Socket Mode. */
import { registerPlatform } from "../../session/platform.js";
import { address, secret } from "../../util/setting.js";
import { manifest } from "../manifest.js";
import { APP_MANIFEST } from "./app-manifest.js";
import { LIMITS } from "./limits.js";

registerPlatform(
  "slack",
  manifest({
    title: "Slack",
    userId: {
      pattern: /^[UW][A-Z0-9]+$/,
      like: "U012ABCDEF",
      hint: "in your Slack profile: the three dots → Copy member ID (U…)",
    },
    chatId: {
      pattern: /^[CDG][A-Z0-9]+$/,
      like: "C012ABCDEF",
      hint: "click the channel's name; the id is at the end of the details (C…)",
    },
    limits: LIMITS,
    settings: {
      botToken: secret({
        description: "The bot user's token (`xoxb-…`).",
        variable: "SLACK_BOT_TOKEN",
        question: {
          ask: "The Bot User OAuth Token (xoxb-…)",
          looks: /^xoxb-\S+$/,
          hint: "It begins with xoxb-. Find it at Install App → Bot User OAuth Token.",
        },
      }),
      appToken: secret({
        description: "The app-level token for Socket Mode (`xapp-…`).",
        variable: "SLACK_APP_TOKEN",
        question: {
          ask: "The App-Level Token (xapp-…)",
          looks: /^xapp-\S+$/,
          hint: "It begins with xapp-. Find it at Basic Information → App-Level Tokens.",
        },
      }),
      baseUrl: address({ description: "Another API server.", fallback: "the platform's own" }),
    },
    steps: [
      `Open https://api.slack.com/apps, Create New App, From a manifest; choose your workspace and paste this:\n${APP_MANIFEST}`,
      "Basic Information → App-Level Tokens → Generate, with the scope connections:write. The token begins with xapp-.",
      "Install App → Install to Workspace. The Bot User OAuth Token begins with xoxb-.",
    ],
    check: async (answers) => (await import("./check.js")).check(answers),
    open: async (settings) => new (await import("./adapter.js")).SlackAdapter(settings),
  }),
);
