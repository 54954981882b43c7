/** How a user of a Matrix homeserver is set up. */
import { CHECK_MS, type PlatformSetup } from "../setup.js";

const LOGIN = `curl -s https://matrix.example.org/_matrix/client/v3/login -d '{
  "type": "m.login.password",
  "identifier": { "type": "m.id.user", "user": "baton" },
  "password": "…",
  "initial_device_display_name": "Baton"
}'`;

export const setup: PlatformSetup = {
  steps: [
    "Register a user for the bot on your homeserver, as you would for a person.",
    `Sign in once for Baton, not in an app: a token of Element's belongs to Element's device, and encrypted rooms would stay closed. The answer has the access_token:\n${LOGIN}`,
  ],
  fields: [
    {
      key: "homeserver",
      question: "The homeserver's URL",
      looks: /^https?:\/\/\S+$/,
      hint: "Give the URL that the API answers at: https://example.org/.well-known/matrix/client says it under base_url.",
    },
    {
      key: "accessToken",
      question: "The bot's access token",
      isSecret: true,
      looks: /^\S+$/,
      hint: "Paste the access_token: one word, without spaces.",
    },
  ],
  person: { looks: /^@[^\s:]+:\S+$/, hint: "your whole id, @ann:example.org" },
  chat: { looks: /^!\S+$/, hint: "a room's id, !abc:example.org" },
  async check({ homeserver = "", accessToken = "" }) {
    const { MatrixApi } = await import("./api.js");
    const { connectError, notThere } = await import("./trouble.js");
    const { id, string } = await import("./json.js");
    const api = new MatrixApi({ homeserver, accessToken: () => accessToken, timeoutMs: CHECK_MS });
    const { user_id, device_id } = await api.whoAmI().catch((error: unknown) => {
      throw connectError(error);
    });
    const userId = id(user_id, "@");
    if (!userId) throw notThere();
    const deviceId = string(device_id);
    return {
      who: deviceId ? `${userId}, device ${deviceId}` : userId,
      next: [
        ...(deviceId ? [] : ["The token belongs to no device: encrypted rooms stay closed."]),
        `Open a chat with ${userId}, or invite it into a room.`,
      ],
    };
  },
};
