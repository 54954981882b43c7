/** Feishu, which is called Lark outside of China, by an app of the organization's own. */
import { registerPlatform, type ToldChat } from "../../session/platform.js";
import { address, choice, secret, text } from "../../util/setting.js";
import { manifest } from "../manifest.js";
import { LIMITS } from "./limits.js";

registerPlatform(
  "feishu",
  manifest({
    title: "Feishu / Lark",
    userId: {
      pattern: /^ou_[\w-]{1,100}$/,
      like: "ou_84aad35d084aa403a838cf73ee18467",
      hint: "your Open ID (ou_…) in this app: `baton people list` shows it after you write to the bot",
    },
    chatId: {
      pattern: /^oc_[\w-]{1,100}$/,
      like: "oc_5ad11d72b830411d72b836c20",
      hint: "at the end of the group's settings (oc_…)",
    },
    liveChat,
    limits: LIMITS,
    settings: {
      domain: choice(["feishu", "lark"], "feishu", {
        description: "Where the organization is: `feishu` for feishu.cn, `lark` for larksuite.com.",
        variable: "FEISHU_DOMAIN",
        question: {
          ask: "Where is your organization?",
          looks: /^(?:feishu|lark)$/,
          hint: "Choose feishu or lark.",
          labels: { feishu: "Feishu (feishu.cn)", lark: "Lark (larksuite.com)" },
        },
      }),
      appId: text({
        description: "The app's id (`cli_…`).",
        variable: "FEISHU_APP_ID",
        question: {
          ask: "The App ID (cli_…)",
          looks: /^cli_[0-9a-zA-Z]{1,64}$/,
          hint: "It begins with cli_. Find it at Credentials & Basic Info.",
        },
      }),
      appSecret: secret({
        description: "The app's secret.",
        variable: "FEISHU_APP_SECRET",
        question: {
          ask: "The App Secret",
          looks: /^\S+$/,
          hint: "Paste the secret: one word, without spaces. Find it at Credentials & Basic Info.",
        },
      }),
      baseUrl: address({ description: "Another API server.", fallback: "the platform's own" }),
    },
    steps: [
      "Open https://open.feishu.cn/app (for Lark: https://open.larksuite.com/app) and create a custom app. Add Features → Bot.",
      "Permissions & Scopes: add im:message, im:message.p2p_msg:readonly, im:message.group_at_msg:readonly, im:resource, im:chat:readonly and im:message.reactions:write_only. For names also contact:user.base:readonly; to hear everything in groups also im:message.group_msg.",
      "Events & Callbacks → Event Configuration: choose the long connection (persistent connection), and add im.message.receive_v1 and im.message.recalled_v1; also im.message.updated_v1 for edits and im.message.reaction.created_v1 for reactions.",
      "Events & Callbacks → Callback Configuration: choose the long connection too, and add card.action.trigger, for buttons.",
      "Version Management & Release: create a version, and publish it. Your administrator may have to approve it.",
    ],
    /** The domain is always set. */
    needs: () => ["appId", "appSecret"],
    check: async (answers) => (await import("./check.js")).check(answers),
    open: async (settings) => new (await import("./adapter.js")).FeishuAdapter(settings),
  }),
);

/** A person's id stands for the chat with them; every other chat that is not of two is a group, or a thread of one. */
function liveChat({ chatId, chatType, threadId }: ToldChat): ToldChat {
  const thread = threadId ? { threadId } : {};
  if (chatType === "dm" || chatId.startsWith("ou_")) return { chatId, chatType: "dm", ...thread };
  return { chatId, chatType: threadId ? "thread" : "group", ...thread };
}
