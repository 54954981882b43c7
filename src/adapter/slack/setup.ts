/** How a Slack app is set up. */
import { CHECK_MS, type PlatformSetup } from "../setup.js";
import { MANIFEST } from "./manifest.js";

export const setup: PlatformSetup = {
  steps: [
    `Open https://api.slack.com/apps, Create New App, From a manifest; choose your workspace and paste this:\n${MANIFEST}`,
    "Basic Information → App-Level Tokens → Generate, with the scope connections:write. It begins with xapp-.",
    "Install App → Install to Workspace. The Bot User OAuth Token begins with xoxb-.",
  ],
  fields: [
    {
      key: "botToken",
      question: "The Bot User OAuth Token (xoxb-…)",
      isSecret: true,
      looks: /^xoxb-\S+$/,
      hint: "It begins with xoxb-: Install App, Bot User OAuth Token.",
    },
    {
      key: "appToken",
      question: "The App-Level Token (xapp-…)",
      isSecret: true,
      looks: /^xapp-\S+$/,
      hint: "It begins with xapp-: Basic Information, App-Level Tokens.",
    },
  ],
  person: { looks: /^[UW][A-Z0-9]+$/, hint: "your profile in Slack, the three dots, Copy member ID (U…)" },
  chat: {
    looks: /^[CDG][A-Z0-9]+(?::\d+\.\d+)?$/,
    hint: "a channel's name, View channel details, at the end (C…)",
  },
  async check({ botToken = "", appToken = "", baseUrl }) {
    const { checkTokens } = await import("./workspace.js");
    const settings = { botToken: () => botToken, appToken: () => appToken, timeoutMs: CHECK_MS };
    const { bot, workspace } = await checkTokens(baseUrl === undefined ? settings : { ...settings, baseUrl });
    return {
      who: `${bot} in ${workspace}`,
      next: [`Write to it directly, or invite it into a channel: /invite @${bot}`],
    };
  },
};
