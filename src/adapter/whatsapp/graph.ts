/** Meta's Graph API: calls with our token, to Meta's host and nobody else's, and what their failures mean. */

import { withoutSlashes } from "../../util/text.js";
import { ConnectError, SendError } from "../adapter.js";
import { readBounded, reasonOf, wasNeverSent, within } from "../http-call.js";
import { outcomeOfSilence, outcomeOfStatus } from "../send-failure.js";
import { field, jsonOf, textOf } from "../untrusted.js";
import type { WhatsAppSettings } from "./config.js";

const BASE_URL = "https://graph.facebook.com";
const VERSION = "v23.0";
const LONGEST_ANSWER = 1024 * 1024;
const TIMEOUT_MS = 30_000;

/** Meta's numbers for what was not sent and can be tried again later: too fast, too much, or not well. */
const TOO_FAST = new Set([4, 80007, 130429, 131048, 131056]);
const NOT_WELL = new Set([2, 131000, 131016, 133004]);
const TOKEN = new Set([0, 10, 190]);
const WINDOW_CLOSED = 131047;
/** Where Meta does not say how long. */
const USUAL_WAIT_MS = 6_000;

/** What Meta said no with. */
class Refusal extends Error {
  readonly status: number;
  readonly code: number | null;
  readonly retryAfterMs: number | undefined;

  constructor(status: number, body: unknown, retryAfter: string | null) {
    const details = field(body, "error", "error_data", "details") ?? field(body, "error", "message");
    super(String(details ?? `HTTP ${status}`).slice(0, 300));
    this.status = status;
    const code = field(body, "error", "code");
    this.code = typeof code === "number" ? code : null;
    this.retryAfterMs = Number(retryAfter) > 0 ? Number(retryAfter) * 1_000 : undefined;
  }

  get isToken(): boolean {
    return this.status === 401 || (this.code !== null && (TOKEN.has(this.code) || isPermission(this.code)));
  }
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
      if (!(error instanceof Refusal))
        throw new ConnectError("retryable", `Meta cannot be reached: ${reasonOf(error)}.`, { cause: error });
      if (error.isToken)
        throw new ConnectError(
          "permanent",
          `Meta does not accept the token. Set WHATSAPP_ACCESS_TOKEN. (${error.message})`,
        );
      if (error.status === 429 || error.status >= 500)
        throw new ConnectError("retryable", `Meta asks to come later: ${error.message}`);
      throw new ConnectError(
        "permanent",
        `Meta knows no number ${phoneNumberId}: set WHATSAPP_PHONE_NUMBER_ID to the id, not the number. (${error.message})`,
      );
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
      throw failureOf(error);
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

  #ask(path: string, init: RequestInit, end: AbortSignal): Promise<unknown> {
    return within(this.#timeoutMs, end, async (signal) => {
      const headers = { ...init.headers, ...this.#authorization };
      const response = await fetch(`${this.#root}/${path}`, { ...init, headers, redirect: "error", signal });
      const bytes = await readBounded(response, LONGEST_ANSWER, signal);
      const body = jsonOf(new TextDecoder().decode(bytes));
      if (!response.ok) throw new Refusal(response.status, body, response.headers.get("retry-after"));
      return body;
    });
  }
}

function failureOf(error: unknown): SendError {
  if (!(error instanceof Refusal)) {
    const what = wasNeverSent(error) ? "cannot be reached" : "did not answer";
    return new SendError(outcomeOfSilence(error), `Meta ${what}: ${reasonOf(error)}.`, { cause: error });
  }
  const { status, code, message, retryAfterMs = USUAL_WAIT_MS } = error;
  if (status === 429 || (code !== null && TOO_FAST.has(code)))
    return new SendError("retryable", `WhatsApp asks to wait: ${message}`, { retryAfterMs });
  if (error.isToken)
    return new SendError(
      "permanent",
      `Meta does not accept the token. Set WHATSAPP_ACCESS_TOKEN. (${message})`,
    );
  if (code === WINDOW_CLOSED)
    return new SendError(
      "permanent",
      "The person last wrote more than 24 hours ago: WhatsApp takes only templates until they write again.",
    );
  if (code !== null && NOT_WELL.has(code))
    return new SendError("retryable", `WhatsApp is not well: ${message}`);
  const outcome = outcomeOfStatus(status, error.retryAfterMs !== undefined);
  return new SendError(outcome, `WhatsApp did not take it: ${message}`);
}

function isPermission(code: number): boolean {
  return code >= 200 && code <= 299;
}

/** Files are on Meta's own hosts; where another base was set, on that one. */
function mediaUrl(given: unknown, root: string): URL {
  const base = new URL(root);
  const url = typeof given === "string" && URL.canParse(given) ? new URL(given) : null;
  const isMeta =
    base.origin === BASE_URL &&
    url?.protocol === "https:" &&
    url.port === "" &&
    /(?:^|\.)(?:facebook\.com|fbsbx\.com|fbcdn\.net|whatsapp\.net)$/.test(url.hostname);
  if (!url || (url.origin !== base.origin && !isMeta))
    throw new Error("Meta named a place that is not its own");
  return url;
}
