/** Discord, by a bot of the developer portal. */
import { registerPlatform, type ToldChat } from "../../session/platform.js";
import { address, secret } from "../../util/setting.js";
import { manifest } from "../manifest.js";
import { PORTAL } from "./config.js";
import { LIMITS } from "./limits.js";

const ID = { pattern: /^\d{1,21}$/, like: "a number such as 123456789012345678" };

registerPlatform(
  "discord",
  manifest({
    title: "Discord",
    userId: {
      ...ID,
      hint: "Settings → Advanced → Developer Mode, then right-click yourself → Copy User ID",
    },
    chatId: { ...ID, hint: "right-click a channel → Copy Channel ID" },
    liveChat,
    limits: LIMITS,
    settings: {
      token: secret({
        description: "The bot's token, from the developer portal.",
        variable: "DISCORD_BOT_TOKEN",
        question: {
          ask: "The bot's token",
          looks: /^[\w-]+\.[\w-]+\.[\w-]+$/,
          hint: "A token is three words with dots between them. Discord shows it once, after Bot → Reset Token.",
        },
      }),
      baseUrl: address({ description: "Another API server.", fallback: "the platform's own" }),
    },
    steps: [
      `Open ${PORTAL}, choose New Application, and give it a name.`,
      "Bot → Reset Token, and copy the token. Anyone who has it can act as the bot.",
      "On the same page, turn on Message Content Intent (Privileged Gateway Intents). Without it, Discord refuses the connection.",
    ],
    check: async (answers) => (await import("./check.js")).check(answers),
    open: async (settings) => new (await import("./adapter.js")).DiscordAdapter(settings),
  }),
);

/** A thread is told in the channel that it was begun in; every other channel of a server is a group. */
function liveChat({ chatId, chatType, threadId, parentChatId }: ToldChat): ToldChat {
  if (chatType === "dm" || (chatType === "unknown" && !threadId)) return { chatId, chatType };
  const thread = threadId ?? (chatType === "thread" ? chatId : undefined);
  const parent = parentChatId ?? (chatId === thread ? undefined : chatId);
  return thread && parent && thread !== parent
    ? { chatId: parent, chatType: "thread", threadId: thread, parentChatId: parent }
    : { chatId, chatType: "group" };
}
