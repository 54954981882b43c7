/** Whether a bot's token is right, whose it is, and how the bot gets into a server. */
import { ConnectError } from "../adapter.js";
import { type Answers, CHECK_MS, type SetupFound } from "../manifest.js";
import { field, idOf, textOf } from "../untrusted.js";
import { Api } from "./api.js";
import { PORTAL } from "./config.js";
import { connectError } from "./failure.js";

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

export async function check({ token = "", baseUrl }: Answers): Promise<SetupFound> {
  const api = new Api(
    { token: () => token, timeoutMs: CHECK_MS, ...(baseUrl === undefined ? {} : { baseUrl }) },
    token,
  );
  const [me, application] = await Promise.all([api.me(), api.application()]).catch((error: unknown) => {
    throw connectError(error);
  });
  const id = idOf(field(me, "id"));
  const name = textOf(field(me, "username"));
  if (!id || !name) throw new ConnectError("retryable", "Discord did not say which bot this is.");
  const invitation = `https://discord.com/oauth2/authorize?client_id=${application.id ?? id}&scope=bot+applications.commands&permissions=${bits()}`;
  const isDeaf = application.flags !== null && (application.flags & MESSAGE_CONTENT) === 0;
  return {
    who: `${name} (${id})`,
    next: [
      ...(isDeaf
        ? [`Message Content Intent is off: turn it on at ${PORTAL}, Bot, Privileged Gateway Intents.`]
        : []),
      `Invite it to your server: ${invitation}`,
    ],
  };
}

function bits(): bigint {
  return Object.values(PERMISSIONS).reduce((sum, bit) => sum | (1n << bit), 0n);
}
