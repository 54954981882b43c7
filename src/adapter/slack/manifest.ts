/** Slack, by an app: in Socket Mode, or with posts to a webhook. */
import { type LiveChat, registerPlatform, type ToldChat } from "../../session/platform.js";
import { address, choice, port, secret, textOr } from "../../util/setting.js";
import { manifest } from "../manifest.js";
import { APP_MANIFEST } from "./app-manifest.js";
import { modeOf } from "./config.js";
import { LIMITS } from "./limits.js";

type SlackAnswers = Parameters<typeof modeOf>[0];
const isHttp = (settings: SlackAnswers): boolean => modeOf(settings) === "http";
const isSocket = (settings: SlackAnswers): boolean => !isHttp(settings);

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
    liveChat,
    limits: LIMITS,
    settings: {
      mode: choice(["socket", "http"], null, {
        description:
          "`socket`: Baton opens a connection to Slack (Socket Mode). `http`: Slack posts to Baton, at a public address.",
        fallback: "`http` if only a signing secret is set, otherwise `socket`",
        variable: "SLACK_MODE",
        question: {
          ask: "How do messages come from Slack?",
          looks: /^(?:socket|http)$/,
          hint: "Choose socket or http.",
          labels: {
            socket: "Baton opens a connection to Slack (Socket Mode): you need no public address",
            http: "Slack posts to Baton (HTTP): you need a public https address",
          },
          usual: modeOf,
        },
      }),
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
          when: isSocket,
        },
      }),
      signingSecret: secret({
        description: "The app's signing secret, for `http`. Slack signs its posts with it.",
        variable: "SLACK_SIGNING_SECRET",
        question: {
          ask: "The signing secret",
          looks: /^[0-9a-zA-Z]{16,}$/,
          hint: "Letters and digits. Find it at Basic Information → App Credentials.",
          when: isHttp,
        },
      }),
      host: textOr("127.0.0.1", {
        description: "The address on which `http` listens, behind a proxy with TLS.",
        variable: "SLACK_WEBHOOK_HOST",
      }),
      port: port(8_647, {
        description: "The port on which `http` listens.",
        variable: "SLACK_WEBHOOK_PORT",
      }),
      baseUrl: address({ description: "Another API server.", fallback: "the platform's own" }),
    },
    steps: [
      `Open https://api.slack.com/apps, Create New App, From a manifest; choose your workspace and paste this:\n${APP_MANIFEST}`,
      "If Slack should post to you (HTTP) instead: in what you pasted, set socket_mode_enabled to false, and skip the next step. The signing secret is at Basic Information → App Credentials.",
      "Basic Information → App-Level Tokens → Generate, with the scope connections:write. The token begins with xapp-.",
      "Install App → Install to Workspace. The Bot User OAuth Token begins with xoxb-.",
    ],
    check: async (answers) => (await import("./check.js")).check(answers),
    needs: (settings) => ["botToken", isHttp(settings) ? "signingSecret" : "appToken"],
    async open({ mode, appToken, signingSecret, host, port, ...settings }) {
      const { SlackAdapter } = await import("./adapter.js");
      return isHttp({ mode, appToken, signingSecret })
        ? new SlackAdapter({ ...settings, signingSecret, webhook: { host, port } })
        : new SlackAdapter({ ...settings, appToken });
    },
  }),
);

/**
 * The id says what it is: D… a chat of two, G… a group. C… may be a public channel, or a private one or a chat of several, which
 * are groups; some programs call the last one direct. Ids are in capitals.
 */
function liveChat({ chatId: told, chatType, threadId }: ToldChat): LiveChat {
  const chatId = told.toUpperCase();
  const isShared = /^[CG]/.test(chatId);
  const thread = threadId ? { threadId } : {};
  if (/^[DUW]/.test(chatId) || (chatType === "dm" && !isShared)) return { chatId, chatType: "dm", ...thread };
  if (threadId) return { chatId, chatType: "thread", threadId };
  if (chatId.startsWith("G") || chatType === "dm" || chatType === "group")
    return { chatId, chatType: "group" };
  return { chatId, chatType: "channel", isGuess: true };
}
