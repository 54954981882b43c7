/** Whether Feishu takes the app's id and secret, whose bot it is, and whether it may open the long connection. */
import { type Answers, CHECK_MS, type SetupFound } from "../manifest.js";
import { FeishuApi } from "./api.js";
import type { FeishuSettings } from "./config.js";
import { connectError } from "./failure.js";

export async function check(answers: Answers): Promise<SetupFound> {
  const { appId = "", appSecret = "", domain, baseUrl } = answers;
  const settings: FeishuSettings = {
    appId,
    appSecret: () => appSecret,
    ...(domain === "lark" ? { domain } : {}),
    ...(baseUrl ? { baseUrl } : {}),
    timeoutMs: CHECK_MS,
  };
  const api = new FeishuApi(settings, new AbortController().signal);
  try {
    const { name, openId } = await api.me();
    await api.endpoint();
    const next = [
      `Write to ${name}, or add it to a group: the group's settings → Bots → Add Bot.`,
      "If it hears nothing, look at Events & Callbacks: both must use the long connection, and a version of the app must be published.",
    ];
    return { who: `${name} (${openId})`, next };
  } catch (error) {
    throw connectError(error);
  }
}
