/** Matrix, as a user of a homeserver. */
import { registerPlatform, type ToldChat } from "../../session/platform.js";
import { address, secret, text } from "../../util/setting.js";
import { manifest } from "../manifest.js";
import { LIMITS } from "./limits.js";

const LOGIN = `curl -s https://matrix.example.org/_matrix/client/v3/login -d '{
  "type": "m.login.password",
  "identifier": { "type": "m.id.user", "user": "baton" },
  "password": "…",
  "initial_device_display_name": "Baton"
}'`;

registerPlatform(
  "matrix",
  manifest({
    title: "Matrix",
    userId: {
      pattern: /^@[^:\s]+:\S+$/,
      like: "@ann:example.org",
      hint: "your whole id, @ann:example.org",
    },
    chatId: {
      pattern: /^!\S+$/,
      like: "a room such as !abc:example.org",
      hint: "a room's id, !abc:example.org",
    },
    escapeColons,
    liveChat,
    limits: LIMITS,
    settings: {
      homeserver: address({
        description: "The homeserver.",
        variable: "MATRIX_HOMESERVER",
        question: {
          ask: "The homeserver's URL",
          looks: /^https?:\/\/\S+$/,
          hint: "Give the URL of the API. https://example.org/.well-known/matrix/client has it as base_url.",
        },
      }),
      accessToken: secret({
        description: "The bot's access token.",
        variable: "MATRIX_ACCESS_TOKEN",
        question: {
          ask: "The bot's access token",
          looks: /^\S+$/,
          hint: "Paste the access_token: one word, without spaces.",
        },
      }),
      userId: text({
        description:
          "The user of the token, `@baton:example.org`. With it, a new token of the same user continues where the old one stopped.",
        variable: "MATRIX_USER_ID",
      }),
    },
    steps: [
      "Register a user for the bot on your homeserver, as you do for a person.",
      `Sign in for Baton with this command, not in an app: a token from Element belongs to Element's device, and Baton could not read encrypted rooms with it. The response contains the access_token:\n${LOGIN}`,
    ],
    check: async (answers) => (await import("./check.js")).check(answers),
    open: async (settings, folder) =>
      new (await import("./adapter.js")).MatrixAdapter({ ...settings, folder }),
  }),
);

/** Ids have colons; what they are shows by their signs: `!room:server`, `#alias:server`, `@person:server` and `$event`. */
function escapeColons(written: string): string {
  const [, room, event] = /^([!#@][^$]*?)(?::(\$.*))?$/s.exec(written) ?? [];
  if (room === undefined) return written;
  const parts = event === undefined ? [room] : [room, event];
  return parts.map((part) => part.replaceAll(":", "%3A")).join(":");
}

/** A thread is a part of its room, whatever that is, and every room that is not of two is a group. */
function liveChat({ chatId, chatType, threadId }: ToldChat): ToldChat {
  const type = chatType === "dm" || chatType === "unknown" ? chatType : "group";
  return { chatId, chatType: type, ...(threadId ? { threadId } : {}) };
}
