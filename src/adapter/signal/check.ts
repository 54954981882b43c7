/** Whether a signal-cli answers there, and has the account. */
import { type Answers, CHECK_MS, type SetupFound } from "../manifest.js";
import { Daemon } from "./daemon.js";

export async function check({ url = "", account = "" }: Answers): Promise<SetupFound> {
  const daemon = new Daemon({ baseUrl: url, account, timeoutMs: CHECK_MS });
  try {
    await daemon.check(new AbortController().signal);
  } finally {
    await daemon.close();
  }
  return { who: `the account ${account} of the signal-cli at ${url}`, next: [`Write to ${account}.`] };
}
