/**
 * Feishu's API, over plain HTTP. The token of the app is asked for when it is needed, kept for as long as it holds, and asked
 * for anew if Feishu does not take it. Answers are of bounded size and read field by field.
 */
import { parsedUrl } from "../../util/parsed-url.js";
import { readBounded, within } from "../http-call.js";
import { field, idOf, jsonOf, numberIn, textIn, wordsIn } from "../untrusted.js";
import { baseUrlOf, type FeishuSettings } from "./config.js";
import { FeishuRefusal, isStale } from "./failure.js";

const LARGEST_ANSWER = 4 * 1024 * 1024;
const USUAL_TIMEOUT_MS = 30_000;
/** A file is larger than a call. */
const TRANSFER_MS = 120_000;
/** A token is asked for so long before the old one ends. */
const RENEWED_BEFORE_MS = 5 * 60_000;
const USUAL_PING_MS = 120_000;
const SECOND_MS = 1_000;

/** Who the bot is. */
export interface FeishuSelf {
  readonly appId: string;
  readonly openId: string;
  readonly name: string;
}

/** Where the long connection is opened. */
export interface FeishuEndpoint {
  readonly url: string;
  /** Frames of ours carry it. */
  readonly service: number;
  readonly pingMs: number;
}

interface Token {
  readonly value: string;
  readonly until: number;
}

export class FeishuApi {
  readonly #settings: FeishuSettings;
  readonly #end: AbortSignal;
  #token: Token | null = null;
  #asking: Promise<Token> | null = null;

  constructor(settings: FeishuSettings, end: AbortSignal) {
    this.#settings = settings;
    this.#end = end;
  }

  async me(): Promise<FeishuSelf> {
    const answer = await this.call("GET", "/bot/v3/info");
    const [openId, name] = [idOf(field(answer, "bot", "open_id")), textIn(answer, "bot", "app_name")];
    if (!openId) throw new Error("Feishu did not say which bot this is");
    return { appId: this.#settings.appId, openId, name: name ?? "the bot" };
  }

  async endpoint(): Promise<FeishuEndpoint> {
    const { appId, appSecret } = this.#settings;
    const init = jsonInit("POST", { AppID: appId, AppSecret: appSecret() });
    const answer = await this.#ask("/callback/ws/endpoint", init);
    const url = wordsIn(answer, "data", "URL");
    if (!/^wss?:\/\//.test(url) || !parsedUrl(url)) throw new Error("Feishu did not say where to connect");
    const service = Number(new URL(url).searchParams.get("service_id") ?? "0");
    const seconds = numberIn(answer, "data", "ClientConfig", "PingInterval");
    const pingMs = seconds === undefined ? USUAL_PING_MS : seconds * SECOND_MS;
    return { url, service: Number.isSafeInteger(service) ? service : 0, pingMs };
  }

  /** The whole answer. Fails with what `connectError` and `sendError` read. */
  call(method: string, path: string, body?: unknown): Promise<unknown> {
    const isForm = body instanceof FormData; // It says itself of what type it is.
    return this.#signed(this.#end, (authorization) => {
      const { headers, ...init } = isForm ? { headers: {}, method, body } : jsonInit(method, body);
      const signed = { ...init, headers: { ...headers, authorization } };
      return this.#ask(`/open-apis${path}`, signed, { patienceMs: isForm ? TRANSFER_MS : 0 });
    });
  }

  /** A file that came with a message; fails if it is larger. */
  download(path: string, maxBytes: number, end: AbortSignal): Promise<Uint8Array> {
    const { timeoutMs = TRANSFER_MS } = this.#settings;
    return within(timeoutMs, end, (signal) =>
      this.#signed(signal, async (authorization) => {
        const response = await fetch(`${baseUrlOf(this.#settings)}/open-apis${path}`, {
          headers: { authorization },
          redirect: "error",
          signal,
        });
        if (response.ok) return readBounded(response, maxBytes, signal);
        throw new FeishuRefusal(response, await textOf(response, signal));
      }),
    );
  }

  /** Once more if the token was of another time: such a call did nothing. */
  async #signed<Answer>(end: AbortSignal, call: (authorization: string) => Promise<Answer>): Promise<Answer> {
    const token = await this.#signIn();
    try {
      return await call(`Bearer ${token.value}`);
    } catch (error) {
      if (!isStale(error) || end.aborted) throw error;
      if (this.#token === token) this.#token = null;
      return call(`Bearer ${(await this.#signIn()).value}`);
    }
  }

  async #signIn(): Promise<Token> {
    if (this.#token && this.#token.until > performance.now()) return this.#token;
    this.#asking ??= this.#newToken().finally(() => {
      this.#asking = null;
    });
    return this.#asking;
  }

  async #newToken(): Promise<Token> {
    const { appId, appSecret } = this.#settings;
    const init = jsonInit("POST", { app_id: appId, app_secret: appSecret() });
    const path = "/open-apis/auth/v3/tenant_access_token/internal";
    const answer = await this.#ask(path, init, { isSignIn: true });
    const [value, seconds] = [textIn(answer, "tenant_access_token"), numberIn(answer, "expire") ?? 0];
    if (!value) throw new Error("Feishu gave no token");
    const holdsMs = Math.max(seconds * SECOND_MS - RENEWED_BEFORE_MS, SECOND_MS);
    this.#token = { value, until: performance.now() + holdsMs };
    return this.#token;
  }

  #ask(path: string, init: RequestInit, { patienceMs = 0, isSignIn = false } = {}): Promise<unknown> {
    const { timeoutMs = USUAL_TIMEOUT_MS } = this.#settings;
    return within(Math.max(timeoutMs, patienceMs), this.#end, async (signal) => {
      const url = `${baseUrlOf(this.#settings)}${path}`;
      const response = await fetch(url, { redirect: "error", ...init, signal });
      const text = await textOf(response, signal);
      const answer = jsonOf(text);
      if (response.ok && field(answer, "code") === 0) return answer;
      throw new FeishuRefusal(response, text, isSignIn);
    });
  }
}

async function textOf(response: Response, signal: AbortSignal): Promise<string> {
  return new TextDecoder().decode(await readBounded(response, LARGEST_ANSWER, signal));
}

function jsonInit(method: string, body?: unknown) {
  return {
    method,
    headers: { "content-type": "application/json; charset=utf-8" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  };
}
