/** Whether a bot's token is right, and whose it is. */
import { withoutSlashes } from "../../util/text.js";
import { ConnectError } from "../adapter.js";
import { type Answers, CHECK_MS, type SetupFound } from "../manifest.js";
import { clientOf } from "./client.js";
import { BOT_API, botOf } from "./config.js";
import { connectError } from "./failure.js";
import { WRONG_TOKEN } from "./wrong-token.js";

export async function check({ token = "", baseUrl = BOT_API }: Answers): Promise<SetupFound> {
  if (botOf(token) === null) throw new ConnectError("permanent", WRONG_TOKEN);
  const api = clientOf(token, withoutSlashes(baseUrl), CHECK_MS / 1_000);
  const me = await api.getMe().catch((error: unknown) => {
    throw connectError(error);
  });
  const privacy = me.can_read_all_group_messages
    ? []
    : ["Group Privacy is on: in groups the bot sees only messages to it."];
  return {
    who: `@${me.username} (${me.first_name}, ${me.id})`,
    next: [`Write to it: https://t.me/${me.username}`, ...privacy],
  };
}
