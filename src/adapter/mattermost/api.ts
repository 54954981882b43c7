/** Mattermost's API, version 4, over plain HTTP. Answers are of bounded size and read field by field. */
import { withoutSlashes } from "../../util/text.js";
import { ConnectError } from "../adapter.js";
import { failuresOf } from "../failure.js";
import { HttpRefusal, jsonFrom, readBounded, within } from "../http-call.js";
import { field, idOf, textOf, wordsIn } from "../untrusted.js";
import type { MattermostSettings } from "./config.js";

const LARGEST_ANSWER = 1024 * 1024;
const USUAL_TIMEOUT_MS = 30_000;
/** A file is larger than a call. */
const UPLOAD_MS = 120_000;

/** Who the bot is. */
export interface MattermostSelf {
  readonly id: string;
  readonly username: string;
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

  /** A file that came with a post; fails if it is larger. */
  download(id: string, maxBytes: number, end: AbortSignal): Promise<Uint8Array> {
    const { url, token, timeoutMs = USUAL_TIMEOUT_MS } = this.#settings;
    return within(timeoutMs, end, async (signal) => {
      const headers = { Authorization: `Bearer ${token()}` };
      const response = await fetch(`${withoutSlashes(url)}/api/v4/files/${id}`, {
        headers,
        redirect: "error",
        signal,
      });
      if (response.ok) return readBounded(response, maxBytes, signal);
      await response.body?.cancel();
      throw new Error(`Mattermost answered ${response.status}`);
    });
  }

  /** Fails with what `connectError` and `sendError` read. */
  async call(method: string, path: string, body: unknown, end: AbortSignal): Promise<unknown> {
    const { url, token, timeoutMs = USUAL_TIMEOUT_MS } = this.#settings;
    const isForm = body instanceof FormData; // It says itself of what type it is.
    const init = {
      method,
      headers: {
        Authorization: `Bearer ${token()}`,
        ...(isForm ? {} : { "Content-Type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
    };
    const limits = {
      timeoutMs: isForm ? Math.max(timeoutMs, UPLOAD_MS) : timeoutMs,
      maxBytes: LARGEST_ANSWER,
      end,
    };
    return jsonFrom(`${withoutSlashes(url)}/api/v4${path}`, init, limits);
  }
}

const WRONG_TOKEN =
  "Mattermost does not accept MATTERMOST_BOT_TOKEN. Create a token at Integrations → Bot Accounts, and set it.";

const failures = failuresOf({
  name: "Mattermost",
  address: "MATTERMOST_URL",
  answerIn(error) {
    if (!(error instanceof HttpRefusal)) return null;
    const { status, retryAfterMs, isPage } = error;
    const answer = { status, retryAfterMs, isPage, words: wordsIn(error.body, "message") };
    // With another token the same message can be sent.
    return status === 401 ? { ...answer, mend: WRONG_TOKEN, outcome: "retryable" } : answer;
  },
});

export const { sendError } = failures;

/** While connecting, a missing right is the bot's own; for a message it is about one channel. */
export function connectError(error: unknown): ConnectError {
  if (!(error instanceof HttpRefusal) || error.status !== 403 || error.isPage)
    return failures.connectError(error);
  return new ConnectError("permanent", failures.sentenceOf(error), { cause: error });
}

/** Whether the call failed because what it names is not there, or not for us. */
export function isNotThere(error: unknown): boolean {
  return error instanceof HttpRefusal && !error.isPage && [400, 403, 404].includes(error.status);
}

/** Nobody can answer that post any more. */
export function isThreadGone(error: unknown): boolean {
  return isNotThere(error) && /root[_ ]?(?:id|post)/i.test(JSON.stringify((error as HttpRefusal).body));
}
