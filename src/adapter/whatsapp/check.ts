/** Whether a number of Meta's Cloud API is reached with these answers. */
import { type Answers, CHECK_MS, type SetupFound } from "../manifest.js";
import { LOOPBACK } from "../webhook.js";
import { Graph } from "./graph.js";

export async function check({
  phoneNumberId = "",
  accessToken = "",
  appSecret = "",
  verifyToken = "",
  baseUrl,
  host = LOOPBACK,
  port = "",
}: Answers): Promise<SetupFound> {
  const graph = new Graph({
    phoneNumberId,
    accessToken: () => accessToken,
    appSecret: () => appSecret,
    verifyToken: () => verifyToken,
    timeoutMs: CHECK_MS,
    ...(baseUrl === undefined ? {} : { baseUrl }),
  });
  const number = await graph.check(new AbortController().signal);
  return {
    who: `the number ${number ?? phoneNumberId}`,
    next: [
      `Meta has to reach the webhook by HTTPS: put a proxy with a certificate in front of ${host}:${port}, and let it forward /whatsapp.`,
      "Start the gateway. Then, at WhatsApp → Configuration, set the callback URL https://your.host/whatsapp and the verify token, and subscribe to the field messages. Meta then tells you if the verify token is right.",
    ],
  };
}
