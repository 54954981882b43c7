/** Where a model answers, and how it is spoken to. What is secret is read only when a request is made. */
import type { Hide } from "../../util/redact.js";
import { cleanLine } from "../../util/text.js";
import { AgentError } from "../agent.js";

export interface Endpoint {
  /** `ollama` is spoken to as OpenAI is, and lists its models in its own way. */
  readonly protocol: "openai" | "anthropic" | "ollama";
  /** With its version, without a slash at its end: `https://api.openai.com/v1`. */
  readonly baseUrl: string;
  /** Null where no key is set: servers on one's own machine want none. */
  readonly apiKey: (() => string) | null;
  /** Where the key is set, for messages: `OPENAI_API_KEY`. */
  readonly keySetting: string;
  /** Null for the first one that the endpoint lists. */
  readonly model: string | null;
  /** Whether to send images at all. */
  readonly images: boolean;
  /** Takes out of a request what must not leave this machine. */
  readonly hide?: Hide;
}

/** `127.0.0.1:11434`: what may be said of an address. */
export function hostOf({ baseUrl }: Endpoint): string {
  try {
    return cleanLine(new URL(baseUrl).host);
  } catch {
    return "an invalid address";
  }
}

/** The key; empty where none is set. One that cannot be read, or cannot be sent, fails with a sentence for people. */
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
