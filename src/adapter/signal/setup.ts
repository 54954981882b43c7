/** How Signal is set up: by a signal-cli that runs beside us. */
import { CHECK_MS, type PlatformSetup } from "../setup.js";

const ACCOUNT = /^(?:\+[1-9]\d{1,18}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i;

export const setup: PlatformSetup = {
  steps: [
    "Install signal-cli (https://github.com/AsamK/signal-cli), and register a number of its own: signal-cli -a +15550000000 register, then verify CODE. Or link it to a phone: signal-cli link -n baton",
    "Start its daemon on this machine, as the user that runs Baton, with a socket in a private folder. It has no password: the folder keeps other users out.\nmkdir -p -m 700 ~/.signal-socket\nsignal-cli -a +15550000000 daemon --socket ~/.signal-socket/socket --receive-mode=manual",
  ],
  fields: [
    {
      key: "url",
      question: "Where the daemon listens",
      looks: /^(?:https?:\/\/\S+|unix:\/.+)$/,
      hint: "Give the socket's whole path after unix:, such as unix:/home/me/.signal-socket/socket, or a URL with http://.",
    },
    {
      key: "account",
      question: "The number that it has",
      looks: ACCOUNT,
      hint: "Write it as +15550000000, with the country's code.",
    },
  ],
  person: { looks: ACCOUNT, hint: "your number, +15551234567, or better your UUID, which stays" },
  chat: { looks: /^\S+$/, hint: "a number, a UUID, or a group's id" },
  async check({ url = "", account = "" }) {
    const { Daemon } = await import("./daemon.js");
    const daemon = new Daemon({ baseUrl: url, account, timeoutMs: CHECK_MS });
    try {
      await daemon.check(new AbortController().signal);
    } finally {
      await daemon.close();
    }
    return { who: `the account ${account} of the signal-cli at ${url}`, next: [`Write to ${account}.`] };
  },
};
