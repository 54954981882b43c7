/** Signal, by a signal-cli that runs beside us. */

import { registerPlatform, type ToldChat } from "../../session/platform.js";
import { parsedUrl } from "../../util/parsed-url.js";
import { flag, text } from "../../util/setting.js";
import { manifest } from "../manifest.js";
import { LIMITS } from "./limits.js";

const NUMBER = "a number with its country code such as +15551234567";

const PERSON = /^\+[1-9]\d{6,14}$|^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

const DAEMON = "give unix: and the whole path of a socket, or an http or https address";

registerPlatform(
  "signal",
  manifest({
    title: "Signal",
    userId: {
      pattern: PERSON,
      like: `${NUMBER}, or a UUID`,
      hint: "your number, +15551234567, or better your UUID, which never changes",
    },
    chatId: {
      pattern:
        /^\+[1-9]\d{6,14}$|^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$|^[a-z0-9+/_-]{22,128}={0,2}$/i,
      like: `${NUMBER}, a UUID, or a group's id in base64`,
      hint: "a number, a UUID, or a group's id",
    },
    liveChat,
    limits: LIMITS,
    settings: {
      url: text(
        {
          description:
            "Where signal-cli's daemon listens: `unix:/path/to/socket` (`--socket`, best) or `http://127.0.0.1:8080` (`--http`).",
          variable: "SIGNAL_HTTP_URL",
          question: {
            ask: "The daemon's address",
            looks: /^(?:https?:\/\/\S+|unix:\/.+)$/,
            hint: "Give unix: and the whole path of the socket, such as unix:/home/me/.signal-socket/socket, or a URL with http://.",
          },
        },
        {
          error: DAEMON,
          refuse: (url) =>
            /^unix:\/./s.test(url) || (/^https?:\/\//i.test(url) && parsedUrl(url)) ? null : DAEMON,
        },
      ),
      account: text({
        description: "The phone number that is registered in signal-cli.",
        variable: "SIGNAL_ACCOUNT",
        question: {
          ask: "The phone number in signal-cli",
          looks: /^(?:\+[1-9]\d{1,18}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i,
          hint: "Write it as +15550000000, with the country code.",
        },
      }),
      noteToSelf: flag(false, {
        description:
          "Answer what you write in “Note to Self”, if signal-cli is linked to your phone. The author is the account: let its number in under `people`.",
      }),
    },
    steps: [
      "Install signal-cli (https://github.com/AsamK/signal-cli), and register its own phone number: signal-cli -a +15550000000 register, then verify CODE. Or link it to a phone: signal-cli link -n baton",
      "Start its daemon on this machine, as the user that runs Baton, with a socket in a private folder. The daemon has no password, so the folder must keep other users out.\nmkdir -p -m 700 ~/.signal-socket\nsignal-cli -a +15550000000 daemon --socket ~/.signal-socket/socket --receive-mode=manual",
    ],
    check: async (answers) => (await import("./check.js")).check(answers),
    open: async ({ url, account, noteToSelf }) =>
      new (await import("./adapter.js")).SignalAdapter({ baseUrl: url, account, noteToSelf }),
  }),
);

/** A number or a UUID is a person, everything else a group. */
function liveChat({ chatId: told }: ToldChat): ToldChat {
  const chatId = told.replace(/^group[:.]/, "");
  return { chatId, chatType: PERSON.test(chatId) && chatId === told ? "dm" : "group" };
}
