/** Mattermost's API, version 4, over plain HTTP. Answers are of bounded size and read field by field. */
import { withoutSlashes } from "../../util/text.js";
import { ConnectError, SendError } from "../adapter.js";
import { readBounded, reasonOf, within } from "../http-call.js";
import { outcomeOfSilence, outcomeOfStatus } from "../send-failure.js";
import { field, idOf, jsonOf, textOf } from "../untrusted.js";
import type { MattermostSettings } from "./config.js";

const LARGEST_ANSWER = 1024 * 1024;
const USUAL_TIMEOUT_MS = 30_000;

/** Who the bot is. */
export interface MattermostSelf {
  readonly id: string;
  readonly username: string;
}

/** A call that the server answered with a failure. */
class RefusedCall extends Error {
  readonly status: number;
  readonly retryAfterMs: number | undefined;

  constructor(status: number, message: string, retryAfterMs: number | undefined) {
    super(message);
    this.status = status;
    this.retryAfterMs = retryAfterMs;
  }
}

export class MattermostApi {
  readonly #settings: MattermostSettings;

  constructor(settings: MattermostSettings) {
    this.#settings = settings;
  }

  async me(end: AbortSignal): Promise<MattermostSelf> {
    const user = await this.call("GET", "/users/me", undefined, end);
    const [id, username] = [idOf(field(user, "id")), textOf(field(user, "username"))];
    if (!id || !username) throw new Error("the server did not say which bot this is");
    return { id, username };
  }

  /** Fails with what `connectError` and `sendError` read. */
  async call(method: string, path: string, body: unknown, end: AbortSignal): Promise<unknown> {
    const { url, token, timeoutMs = USUAL_TIMEOUT_MS } = this.#settings;
    return within(timeoutMs, end, async (signal) => {
      const response = await fetch(`${withoutSlashes(url)}/api/v4${path}`, {
        method,
        headers: { Authorization: `Bearer ${token()}`, "Content-Type": "application/json" },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        redirect: "error",
        signal,
      });
      const text = new TextDecoder().decode(await readBounded(response, LARGEST_ANSWER, signal));
      const answer = jsonOf(text);
      if (response.ok) return answer;
      const said = textOf(field(answer, "message")) ?? `status ${response.status}`;
      throw new RefusedCall(response.status, said, waitOf(response.headers.get("X-RateLimit-Reset")));
    });
  }
}

/** In how many seconds the limit is over. */
function waitOf(seconds: string | null): number | undefined {
  return seconds !== null && /^\d{1,6}$/.test(seconds) ? Number(seconds) * 1_000 : undefined;
}

export function connectError(error: unknown): ConnectError {
  if (error instanceof ConnectError) return error;
  if (error instanceof RefusedCall && [401, 403].includes(error.status)) {
    const sentence =
      "Mattermost does not accept MATTERMOST_BOT_TOKEN. Create a token at Integrations → Bot Accounts, and set it.";
    return new ConnectError("permanent", sentence, { cause: error });
  }
  return new ConnectError("retryable", `Mattermost cannot be reached: ${reasonOf(error)}.`, { cause: error });
}

export function sendError(error: unknown): SendError {
  if (error instanceof SendError) return error;
  if (!(error instanceof RefusedCall)) {
    const sentence = `Mattermost did not answer: ${reasonOf(error)}.`;
    return new SendError(outcomeOfSilence(error), sentence, { cause: error });
  }
  const { status, retryAfterMs } = error;
  // With another token the same message can be sent.
  const outcome = status === 401 ? "retryable" : outcomeOfStatus(status, retryAfterMs !== undefined);
  return new SendError(outcome, `Mattermost refused the message: ${error.message}.`, {
    cause: error,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
}

/** Whether the call failed because what it names is not there, or not for us. */
export function isNotThere(error: unknown): boolean {
  return error instanceof RefusedCall && [400, 403, 404].includes(error.status);
}
