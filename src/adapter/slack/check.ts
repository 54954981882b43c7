/** Whether an app's two tokens are right, and whose they are. */
import { type Answers, CHECK_MS, type SetupFound } from "../manifest.js";
import { checkTokens } from "./workspace.js";

export async function check({ botToken = "", appToken = "", baseUrl }: Answers): Promise<SetupFound> {
  const settings = { botToken: () => botToken, appToken: () => appToken, timeoutMs: CHECK_MS };
  const { bot, workspace } = await checkTokens(baseUrl === undefined ? settings : { ...settings, baseUrl });
  return {
    who: `${bot} in ${workspace}`,
    next: [`Write to it directly, or invite it into a channel: /invite @${bot}`],
  };
}
