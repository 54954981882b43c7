/** How a number of Meta's Cloud API is set up. */
import { CHECK_MS, type PlatformSetup } from "../setup.js";

const ONE_WORD = /^\S{6,}$/;

export const setup: PlatformSetup = {
  steps: [
    'At https://developers.facebook.com make an app of the type "Business" and add WhatsApp. Meta gives you a test number.',
    "WhatsApp → API Setup has the phone number id (not the number).",
    "Business settings → System users: make a token with whatsapp_business_messaging. The one on the API page ends after a day.",
    "App settings → Basic has the app secret, by which Baton knows that a post is Meta's.",
    "Think of a text of your own, the verify token: Meta shows it when it first calls.",
  ],
  fields: [
    {
      key: "phoneNumberId",
      question: "The phone number id",
      looks: /^\d{5,25}$/,
      hint: "The id is digits alone, as WhatsApp → API Setup shows it; it is not the number.",
    },
    {
      key: "accessToken",
      question: "The access token",
      isSecret: true,
      looks: ONE_WORD,
      hint: "Paste the token: one word, without spaces.",
    },
    {
      key: "appSecret",
      question: "The app secret",
      isSecret: true,
      looks: ONE_WORD,
      hint: "Paste the secret from App settings → Basic: one word, without spaces.",
    },
    {
      key: "verifyToken",
      question: "The verify token, a text of your own",
      isSecret: true,
      looks: ONE_WORD,
      hint: "Six characters or more, without spaces.",
    },
  ],
  person: { looks: /^\+?\d{5,20}$/, hint: "your number with the country's code, 15551234567" },
  chat: { looks: /^\+?\d{5,20}$/, hint: "a number with the country's code, 15551234567" },
  async check({ phoneNumberId = "", accessToken = "", appSecret = "", verifyToken = "", baseUrl }) {
    const { Graph } = await import("./graph.js");
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
  },
};
