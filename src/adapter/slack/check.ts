/** Whether an app's tokens are right, and whose they are. Slack tells nobody whether a signing secret is right. */
import { type Answers, CHECK_MS, type SetupFound } from "../manifest.js";
import { LOOPBACK } from "../webhook.js";
import { modeOf } from "./config.js";
import { PATH } from "./http.js";
import { checkTokens } from "./workspace.js";

export async function check(answers: Answers): Promise<SetupFound> {
  const { botToken = "", appToken = "", baseUrl, host = LOOPBACK, port = "" } = answers;
  const isHttp = modeOf(answers) === "http";
  const { bot, workspace } = await checkTokens({
    ...{ botToken: () => botToken, timeoutMs: CHECK_MS },
    ...(isHttp ? {} : { appToken: () => appToken }),
    ...(baseUrl === undefined ? {} : { baseUrl }),
  });
  return {
    who: `${bot} in ${workspace}`,
    next: [
      ...(isHttp ? requestUrlSteps(`${host}:${port}`) : []),
      `Write to it directly, or invite it into a channel: /invite @${bot}`,
    ],
  };
}

function requestUrlSteps(listener: string): string[] {
  return [
    `Slack has to reach Baton by HTTPS: put a proxy with a certificate in front of ${listener}, and let it forward ${PATH}.`,
    `Start the gateway. Then set the Request URL https://your.host${PATH} at Event Subscriptions, at Interactivity & Shortcuts, and for each command at Slash Commands. At Event Subscriptions, Slack tells you if Baton answers: then the signing secret is right.`,
  ];
}
