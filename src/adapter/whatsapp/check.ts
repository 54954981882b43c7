/** Whether a number of Meta's Cloud API is reached with these answers. */
import { type Answers, CHECK_MS, type SetupFound } from "../manifest.js";
import { Graph } from "./graph.js";

export async function check({
  phoneNumberId = "",
  accessToken = "",
  appSecret = "",
  verifyToken = "",
  baseUrl,
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
      "Meta has to reach the webhook by HTTPS: put a proxy with a certificate before 127.0.0.1:8645 that passes /whatsapp on.",
      "With the gateway running, set under WhatsApp → Configuration the callback URL https://your.host/whatsapp and the verify token, and subscribe to the field messages. That shows whether the verify token and the app secret are right.",
    ],
  };
}
