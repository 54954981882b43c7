/** How a Discord bot is set up. */
import { ConnectError } from "../adapter.js";
import { CHECK_MS, type PlatformSetup } from "../setup.js";
import { field, idOf, textOf } from "../untrusted.js";

const PORTAL = "https://discord.com/developers/applications";

/** By their bits: what the bot needs on a server. */
const PERMISSIONS = {
  addReactions: 6n,
  viewChannels: 10n,
  sendMessages: 11n,
  attachFiles: 15n,
  readMessageHistory: 16n,
  createPublicThreads: 35n,
  sendMessagesInThreads: 38n,
} as const;

/** An application's flags that say that it gets the text of messages: of any server, or of a hundred at most. */
const MESSAGE_CONTENT = (1 << 18) | (1 << 19);

export const setup: PlatformSetup = {
  steps: [
    `Open ${PORTAL}, choose New Application and give it a name.`,
    "Bot → Reset Token, and copy the token. Whoever has it is the bot.",
    "Still under Bot, switch on Message Content Intent (Privileged Gateway Intents). Without it Discord does not let the bot in.",
  ],
  fields: [
    {
      key: "token",
      question: "The bot's token",
      isSecret: true,
      looks: /^[\w-]+\.[\w-]+\.[\w-]+$/,
      hint: "A token is three words with dots between them. It is shown once, after Bot → Reset Token.",
    },
  ],
  person: {
    looks: /^[1-9]\d{0,19}$/,
    hint: "Settings → Advanced → Developer Mode, then right-click yourself → Copy User ID",
  },
  chat: { looks: /^[1-9]\d{0,19}(?::[1-9]\d{0,19})?$/, hint: "right-click a channel → Copy Channel ID" },
  async check({ token = "", baseUrl }) {
    const { Api } = await import("./api.js");
    const { connectError } = await import("./failure.js");
    const api = new Api(
      { token: () => token, timeoutMs: CHECK_MS, ...(baseUrl === undefined ? {} : { baseUrl }) },
      token,
    );
    const [me, application] = await Promise.all([api.me(), api.application()]).catch((error: unknown) => {
      throw connectError(error);
    });
    const id = idOf(field(me, "id"));
    const name = textOf(field(me, "username"));
    if (!id || !name) throw new ConnectError("retryable", "Discord does not say who the bot is.");
    const invitation = `https://discord.com/oauth2/authorize?client_id=${application.id ?? id}&scope=bot+applications.commands&permissions=${bits()}`;
    const isDeaf = application.flags !== null && (application.flags & MESSAGE_CONTENT) === 0;
    return {
      who: `${name} (${id})`,
      next: [
        ...(isDeaf
          ? [`Message Content Intent is off: switch it on at ${PORTAL}, Bot, Privileged Gateway Intents.`]
          : []),
        `Let it into your server: ${invitation}`,
      ],
    };
  },
};

function bits(): bigint {
  return Object.values(PERMISSIONS).reduce((sum, bit) => sum | (1n << bit), 0n);
}
