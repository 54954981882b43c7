/** Whether the server takes the token, and which bot it belongs to. */
import { type Answers, CHECK_MS, type SetupFound } from "../manifest.js";
import { connectError, MattermostApi } from "./api.js";

export async function check({ url = "", token = "" }: Answers): Promise<SetupFound> {
  const api = new MattermostApi({ url, token: () => token, timeoutMs: CHECK_MS });
  const { id, username } = await api.me(new AbortController().signal).catch((error: unknown) => {
    throw connectError(error);
  });
  return {
    who: `@${username} (${id})`,
    next: [`Write to @${username}, or invite it to a channel: /invite @${username}`],
  };
}
