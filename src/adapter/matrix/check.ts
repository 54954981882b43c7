/** Whether a homeserver takes the token, and whose it is. */
import { type Answers, CHECK_MS, type SetupFound } from "../manifest.js";
import { textOf } from "../untrusted.js";
import { MatrixApi } from "./api.js";
import { connectError, notThere } from "./failure.js";
import { id } from "./ids.js";

export async function check({ homeserver = "", accessToken = "" }: Answers): Promise<SetupFound> {
  const api = new MatrixApi({ homeserver, accessToken: () => accessToken, timeoutMs: CHECK_MS });
  const { user_id, device_id } = await api.whoAmI().catch((error: unknown) => {
    throw connectError(error);
  });
  const userId = id(user_id, "@");
  if (!userId) throw notThere();
  const deviceId = textOf(device_id);
  return {
    who: deviceId ? `${userId}, device ${deviceId}` : userId,
    next: [
      ...(deviceId ? [] : ["The token belongs to no device, so Baton cannot read encrypted rooms."]),
      `Open a chat with ${userId}, or invite it into a room.`,
    ],
  };
}
