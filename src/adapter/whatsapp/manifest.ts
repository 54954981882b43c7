/** WhatsApp: by Meta's Cloud API, or as a linked device of an account by Baileys. */
import { registerPlatform, type ToldChat } from "../../session/platform.js";
import { address, choice, port, secret, text, textOr } from "../../util/setting.js";
import { manifest } from "../manifest.js";
import { foldNumber } from "./fold-number.js";
import { LIMITS } from "./limits.js";

const ONE_WORD = /^\S{6,}$/;
const NUMBER = "a number with its country code such as +15551234567";

registerPlatform(
  "whatsapp",
  manifest({
    title: "WhatsApp",
    dmPerChat: true,
    foldId: foldNumber,
    userId: {
      pattern: /^[1-9]\d{0,14}$|^\d+@lid$|^[A-Z]{2}\.(?:ENT\.)?[A-Za-z0-9]{1,128}$/,
      like: NUMBER,
      hint: "your number with the country code, 15551234567",
    },
    chatId: {
      pattern: /^[1-9]\d{0,14}$|^\d+@lid$|^[A-Z]{2}\.(?:ENT\.)?[A-Za-z0-9]{1,128}$|^[\d-]+@g\.us$/,
      like: `${NUMBER}, or a group such as 123456789012345678@g.us`,
      hint: "a number with the country code, 15551234567",
    },
    liveChat,
    limits: LIMITS,
    settings: {
      mode: choice(["cloud", "baileys"], "cloud", {
        description:
          "`cloud`: Meta's Cloud API. `baileys`: a linked device of an account, through an unofficial client that you install yourself.",
        variable: "WHATSAPP_MODE",
      }),
      number: text({
        description: "`baileys`: the account's phone number, with the country code.",
        variable: "WHATSAPP_NUMBER",
      }),
      phoneNumberId: text({
        description: "The id of the sending phone number.",
        variable: "WHATSAPP_PHONE_NUMBER_ID",
        question: {
          ask: "The phone number id",
          looks: /^\d{5,25}$/,
          hint: "The id is only digits, as on the page WhatsApp → API Setup. It is not the number.",
        },
      }),
      accessToken: secret({
        description: "The Cloud API's access token.",
        variable: "WHATSAPP_ACCESS_TOKEN",
        question: {
          ask: "The access token",
          looks: ONE_WORD,
          hint: "Paste the token: one word, without spaces.",
        },
      }),
      appSecret: secret({
        description: "The app's secret. Meta signs its posts with it.",
        variable: "WHATSAPP_APP_SECRET",
        question: {
          ask: "The app secret",
          looks: ONE_WORD,
          hint: "Paste the secret from App settings → Basic: one word, without spaces.",
        },
      }),
      verifyToken: secret({
        description: "A text of your own. Meta shows it when it first calls the webhook.",
        variable: "WHATSAPP_VERIFY_TOKEN",
        question: {
          ask: "The verify token, a text of your own",
          looks: ONE_WORD,
          hint: "Six characters or more, without spaces.",
        },
      }),
      host: textOr("127.0.0.1", {
        description: "The address on which the webhook listens, behind a proxy with TLS.",
        variable: "WHATSAPP_WEBHOOK_HOST",
      }),
      port: port(8_645, {
        description: "The port on which the webhook listens.",
        variable: "WHATSAPP_WEBHOOK_PORT",
      }),
      baseUrl: address({ description: "Another API server.", fallback: "the platform's own" }),
    },
    steps: [
      'At https://developers.facebook.com create an app of the type "Business", and add WhatsApp. Meta gives you a test number.',
      "Find the phone number id at WhatsApp → API Setup. It is not the number.",
      "Business settings → System users: create a token with whatsapp_business_messaging. The token on the API page expires after a day.",
      "Find the app secret at App settings → Basic. With it, Baton checks that a request is Meta's.",
      "Choose a verify token, a text of your own. Meta sends it with its first request.",
    ],
    check: async (answers) => (await import("./check.js")).check(answers),
    /** With Baileys the mode alone says that somebody wants it. */
    needs: ({ mode }) =>
      mode === "baileys" ? ["mode", "number"] : ["accessToken", "phoneNumberId", "appSecret", "verifyToken"],
    async open({ mode, number = "", host, port, ...cloud }, folder) {
      if (mode === "cloud") {
        return new (await import("./adapter.js")).WhatsAppAdapter({ ...cloud, webhook: { host, port } });
      }
      const { openBaileys } = await import("./baileys/open.js");
      return openBaileys({ number, folder, ...(cloud.baseUrl && { baseUrl: cloud.baseUrl }) });
    },
    link: {
      isFor: ({ mode }) => mode === "baileys",
      first: "set WHATSAPP_MODE=baileys first",
      async begin({ number = "", baseUrl }, folder, say, end, columns) {
        const { linkBaileys } = await import("./baileys/open.js");
        await linkBaileys({ number, folder, ...(baseUrl && { baseUrl }) }, say, end, columns);
      },
    },
  }),
);

/** The id of a group says that it is one. */
function liveChat({ chatId }: ToldChat): ToldChat {
  return { chatId: foldNumber(chatId), chatType: chatId.endsWith("@g.us") ? "group" : "dm" };
}
