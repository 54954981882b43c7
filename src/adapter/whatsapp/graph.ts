/** Meta's Graph API: calls with our token, to Meta's host and nobody else's, and what their failures mean. */

import { parsedUrl } from "../../util/parsed-url.js";
import { withoutSlashes } from "../../util/text.js";
import { ConnectError, SendError } from "../adapter.js";
import { type FailedAnswer, failuresOf, outcomeOfStatus } from "../failure.js";
import { HttpRefusal, jsonFrom, readBounded, within } from "../http-call.js";
import { field, numberIn, textOf } from "../untrusted.js";
import type { WhatsAppSettings } from "./config.js";

const BASE_URL = "https://graph.facebook.com";
const VERSION = "v23.0";
const LONGEST_ANSWER = 1024 * 1024;
const TIMEOUT_MS = 30_000;

/** Meta's numbers for what was not sent and can be tried again later: too fast, too much, or not well. */
const TOO_FAST = new Set([4, 80007, 130429, 131048, 131056]);
const NOT_WELL = new Set([2, 131000, 131016, 133004]);
const TOKEN = new Set([0, 10, 190]);
/** Where Meta does not say how long. */
const USUAL_WAIT_MS = 6_000;

const WRONG_TOKEN = "Meta does not accept the token. Set WHATSAPP_ACCESS_TOKEN.";
const SENTENCES: Readonly<Record<number, string>> = {
  131047:
    "The person last wrote more than 24 hours ago: WhatsApp takes only templates until they write again.",
};

const failures = failuresOf({ name: "Meta", answerIn });

function answerIn(error: unknown): FailedAnswer | null {
  if (!(error instanceof HttpRefusal)) return null;
  const { status, body, isPage } = error;
  const code = numberIn(body, "error", "code") ?? Number.NaN;
  const words = String(
    field(body, "error", "error_data", "details") ?? field(body, "error", "message") ?? `HTTP ${status}`,
  );
  const isTooFast = status === 429 || TOO_FAST.has(code);
  const isToken = status === 401 || TOKEN.has(code) || isPermission(code);
  return {
    status: isTooFast ? 429 : status,
    words,
    isPage,
    retryAfterMs: error.retryAfterMs ?? (isTooFast ? USUAL_WAIT_MS : undefined),
    outcome: NOT_WELL.has(code) ? "retryable" : undefined,
    sentence: SENTENCES[code],
    mend: isToken && !isTooFast ? `${WRONG_TOKEN} (${words.slice(0, 300)})` : undefined,
  };
}

/** What a wrong parameter is called; the message that is answered is the only one that a person can take away. */
const WRONG_PARAMETER = new Set([100, 131009]);

/** Whether a message may be taken if it answers none. */
export function maybeUnanswerable(error: unknown): boolean {
  const refusal = error instanceof SendError ? error.cause : error;
  return refusal instanceof HttpRefusal && WRONG_PARAMETER.has(numberIn(refusal.body, "error", "code") ?? 0);
}

export class Graph {
  readonly #settings: WhatsAppSettings;
  readonly #root: string;

  constructor(settings: WhatsAppSettings) {
    this.#settings = settings;
    this.#root = `${withoutSlashes(settings.baseUrl ?? BASE_URL)}/${settings.graphVersion ?? VERSION}`;
  }

  /** Our number is there, and the token is for it: the number, where Meta says it. */
  async check(end: AbortSignal): Promise<string | undefined> {
    const { phoneNumberId } = this.#settings;
    try {
      const number = await this.#ask(`${phoneNumberId}?fields=id,display_phone_number`, {}, end);
      return textOf(field(number, "display_phone_number"));
    } catch (error) {
      const answer = answerIn(error);
      const isRefused = answer?.mend === undefined && outcomeOfStatus(answer?.status ?? 0) === "permanent";
      if (answer && isRefused && !answer.isPage)
        throw new ConnectError(
          "permanent",
          `Meta knows no number ${phoneNumberId}: set WHATSAPP_PHONE_NUMBER_ID to the id, not the number. (${answer.words})`,
        );
      throw failures.connectError(error);
    }
  }

  /** Posts for our number; fails with a `SendError`. */
  async post(edge: "messages" | "media", body: object | FormData, end: AbortSignal): Promise<unknown> {
    const isForm = body instanceof FormData;
    const init: RequestInit = {
      method: "POST",
      body: isForm ? body : JSON.stringify(body),
      ...(isForm ? {} : { headers: { "content-type": "application/json" } }),
    };
    try {
      return await this.#ask(`${this.#settings.phoneNumberId}/${edge}`, init, end);
    } catch (error) {
      throw failures.sendError(error);
    }
  }

  /** A file that was sent to us. The token goes along only to the host that it is for. */
  async download(mediaId: string, maxBytes: number, end: AbortSignal): Promise<Uint8Array> {
    const tooLarge = new Error(`larger than ${Math.floor(maxBytes / 1024)} kB`);
    const media = await this.#ask(encodeURIComponent(mediaId), {}, end);
    if (Number(field(media, "file_size")) > maxBytes) throw tooLarge;
    const url = mediaUrl(field(media, "url"), this.#root);
    return within(this.#timeoutMs, end, async (signal) => {
      const response = await fetch(url, { headers: this.#authorization, redirect: "error", signal });
      if (!response.ok) throw new Error(`Meta answered ${response.status}`);
      return readBounded(response, maxBytes, signal);
    });
  }

  get #authorization(): Record<string, string> {
    return { authorization: `Bearer ${this.#settings.accessToken()}` };
  }

  get #timeoutMs(): number {
    return this.#settings.timeoutMs ?? TIMEOUT_MS;
  }

  async #ask(path: string, init: RequestInit, end: AbortSignal): Promise<unknown> {
    const headers = { ...init.headers, ...this.#authorization };
    const limits = { timeoutMs: this.#timeoutMs, maxBytes: LONGEST_ANSWER, end };
    return jsonFrom(`${this.#root}/${path}`, { ...init, headers }, limits);
  }
}

function isPermission(code: number): boolean {
  return code >= 200 && code <= 299;
}

/** Files are on Meta's own hosts; where another base was set, on that one. */
function mediaUrl(given: unknown, root: string): URL {
  const base = new URL(root);
  const url = typeof given === "string" ? parsedUrl(given) : null;
  const isMeta =
    base.origin === BASE_URL &&
    url?.protocol === "https:" &&
    url.port === "" &&
    /(?:^|\.)(?:facebook\.com|fbsbx\.com|fbcdn\.net|whatsapp\.net)$/.test(url.hostname);
  if (!url || (url.origin !== base.origin && !isMeta))
    throw new Error("Meta named a place that is not its own");
  return url;
}
