/** Whether a bot's token is right, whose it is, and whether Telegram reaches the webhook. */
import type { Api } from "grammy";
import { withoutSlashes } from "../../util/text.js";
import { ConnectError } from "../adapter.js";
import { type Answers, CHECK_MS, type SetupFound } from "../manifest.js";
import { LOOPBACK } from "../webhook.js";
import { clientOf } from "./client.js";
import { BOT_API, botOf } from "./config.js";
import { connectError } from "./failure.js";
import { failedPosts, infoOf, isAt, pathOf } from "./webhook.js";
import { WRONG_TOKEN } from "./wrong-token.js";

export async function check({
  token = "",
  baseUrl = BOT_API,
  webhookUrl,
  host = LOOPBACK,
  port = "",
}: Answers): Promise<SetupFound> {
  if (botOf(token) === null) throw new ConnectError("permanent", WRONG_TOKEN);
  const api = clientOf(token, withoutSlashes(baseUrl), CHECK_MS / 1_000);
  const me = await api.getMe().catch((error: unknown) => {
    throw connectError(error);
  });
  const privacy = me.can_read_all_group_messages
    ? []
    : ["Group Privacy is on: in groups the bot sees only messages to it."];
  const posts = await checkPosts(api, webhookUrl, `${host}:${port}`);
  return {
    who: `@${me.username} (${me.first_name}, ${me.id})`,
    next: [`Write to it: https://t.me/${me.username}`, ...privacy, ...posts],
  };
}

/** What is to be known of the webhook: the one that is wanted, and the one that is set. */
async function checkPosts(api: Api, wanted: string | undefined, listener: string): Promise<string[]> {
  const info = await infoOf(api, new AbortController().signal);
  if (wanted === undefined)
    return info.url ? ["A webhook is set for this bot. The gateway removes it when it starts."] : [];
  const failed = isAt(info, wanted) && info.last_error_message ? [failedPosts(info)] : [];
  return [
    `Telegram has to reach ${wanted} by HTTPS: put a proxy with a certificate in front of ${listener}, and let it forward ${pathOf(wanted)}.`,
    ...failed,
  ];
}
