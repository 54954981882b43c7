/** Where a model answers, and which protocol it speaks. Secrets are read only when a request is made. */
import { parsedUrl } from "../../util/parsed-url.js";
import type { Hide } from "../../util/redact.js";
import { cleanLine } from "../../util/text.js";
import { AgentError } from "../agent.js";

export interface Endpoint {
  /** `ollama` speaks the protocol of OpenAI, but lists its models in its own way. */
  readonly protocol: "openai" | "anthropic" | "ollama";
  /** With the version and without a final slash: `https://api.openai.com/v1`. */
  readonly baseUrl: string;
  /** Null if no key is set: servers on your own machine need none. */
  readonly apiKey: (() => string) | null;
  /** Where the key is set, for messages: `OPENAI_API_KEY`. */
  readonly keySetting: string;
  /** Where the address is set, for messages; `agent.baseUrl` if it is not said. */
  readonly urlSetting?: string;
  /** Null for the first one that the endpoint lists. */
  readonly model: string | null;
  /** How many tokens the model takes, for a request and its answer together. */
  readonly contextTokens: number;
  /** Whether to send images at all. */
  readonly images: boolean;
  /** Takes out of a request what must not leave this machine. */
  readonly hide?: Hide;
}

/** The part of an address that may be shown: `127.0.0.1:11434`. */
export function hostOf({ baseUrl }: Endpoint): string {
  const url = parsedUrl(baseUrl);
  return url ? cleanLine(url.host) : "an invalid address";
}

/** The address as it may be shown: without a query, which could hold a key. */
export function shownUrl({ baseUrl }: Endpoint): string {
  const url = parsedUrl(baseUrl);
  return url ? cleanLine(`${url.origin}${url.pathname}`) : "an invalid address";
}

/** What to change if the address is wrong. */
export function urlSetting({ urlSetting = "agent.baseUrl" }: Endpoint): string {
  return urlSetting;
}

/** The key; empty if none is set. Fails with a sentence for people if the key can't be read or sent. */
export function keyOf({ apiKey, keySetting }: Endpoint): string {
  const key = revealed(apiKey);
  if (/^[ -~]*$/.test(key)) return key;
  throw new AgentError(`The API key contains characters that are not allowed in a key. Check ${keySetting}.`);
}

function revealed(apiKey: Endpoint["apiKey"]): string {
  try {
    return apiKey?.() ?? "";
  } catch (error) {
    throw new AgentError((error as Error).message);
  }
}
