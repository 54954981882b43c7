/**
 * What went wrong with a request to a model: which kind it is, whether to ask again, and the sentence for the person.
 * Pure. A sentence names the setting or the host to look at, and never holds a key.
 */
import { PROXY_CURE, proxyInUse } from "../../util/proxy-in-use.js";
import { cleanLine, shorten } from "../../util/text.js";
import { counted } from "../../util/words.js";
import { retryAfterMs } from "./backoff.js";
import { type Endpoint, hostOf, shownUrl, urlSetting } from "./endpoint.js";

export type FailureKind =
  /** The key is wrong, or missing. */
  | "key"
  | "quota"
  | "busy"
  | "no model"
  /** The server has no such path, or answers with a web page: the base URL is wrong. */
  | "no path"
  | "server"
  | "unreachable"
  /** The proxy can't be reached, or can't reach the server; the detail names the proxy. */
  | "proxy"
  /** The proxy wants a name and a password, or does not let Baton through. */
  | "proxy refused"
  /** The certificate can't be trusted, or the server does not speak TLS; the detail is the system's code. */
  | "certificate"
  /** The server redirects, and Baton does not follow; the detail is the target. */
  | "elsewhere"
  /** A port that `fetch` refuses. */
  | "bad port"
  /** The answer ended too early, or does not follow the protocol. */
  | "broken"
  /** The model said nothing in time: the next endpoint is asked at once. */
  | "no word"
  | "silent"
  | "endless"
  | "empty"
  /** The conversation is longer than the model accepts. */
  | "too long"
  /** The request contains something that this model does not support. */
  | "no images"
  | "no tools"
  | "no effort"
  /** The server refused one picture, because it is broken or too large; it may accept others. */
  | "bad image"
  | "refused";

export interface ModelFailure {
  readonly kind: FailureKind;
  /** The server's words in one short line; empty if they say nothing. */
  readonly detail: string;
  /** How long the server asks us to wait. */
  readonly retryAfterMs: number | null;
  /** The status of the server's answer, if it gave one. */
  readonly status: number | null;
}

/** A failure that is found while a stream is read. */
export class StreamFailure extends Error {
  readonly kind: FailureKind;

  constructor(kind: FailureKind, message: string = kind) {
    super(message);
    this.kind = kind;
  }
}

const RETRIED: readonly FailureKind[] = [
  "busy",
  "server",
  "unreachable",
  "proxy",
  "broken",
  "silent",
  "empty",
];

/** Whether the same request may succeed a little later. */
export function isPassing({ kind }: ModelFailure): boolean {
  return RETRIED.includes(kind);
}

/** Describes any error that a provider throws or streams. `secret` is removed from what is quoted. */
export function failureOf(error: unknown, now: number, secret: string): ModelFailure {
  const facts = factsOf(error);
  const quoted = secret === "" ? facts.said : facts.said.replaceAll(secret, "***");
  const kind = error instanceof StreamFailure ? error.kind : kindOf(facts);
  const detail = kind === "certificate" ? (facts.code ?? "") : shorten(cleanLine(quoted), 200);
  return { kind, detail, retryAfterMs: retryAfterMs(facts.headers, now), status: facts.status };
}

interface ErrorDetails {
  readonly status: number | null;
  /** The error's own words. */
  readonly message: string;
  /** The server's words, if the error itself has only the name of the status. */
  readonly said: string;
  /** Everything to search in, in lower case: message, body and codes. */
  readonly text: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The code of the system, such as `ECONNREFUSED`. */
  readonly code: string | null;
  readonly isCall: boolean;
}

/** Errors of the SDK have these fields; errors inside a stream are what the server wrote. */
function factsOf(error: unknown): ErrorDetails {
  const fields = (typeof error === "object" && error !== null ? error : { message: String(error) }) as {
    readonly message?: unknown;
    readonly statusCode?: unknown;
    readonly code?: unknown;
    readonly type?: unknown;
    readonly responseBody?: unknown;
    readonly responseHeaders?: Readonly<Record<string, string>>;
  };
  const message = typeof fields.message === "string" ? fields.message : "";
  const body = typeof fields.responseBody === "string" ? fields.responseBody : "";
  const inBody = /"code"\s*:\s*"?(\d{3})\b/.exec(body)?.[1];
  const number = [fields.statusCode, fields.code, inBody]
    .map(Number)
    .find((code) => code >= 400 && code < 600);
  const code = systemCode(error);
  return {
    status: number ?? null,
    message,
    said: spokenIn(body) || message,
    text: [message, body, String(fields.code ?? ""), String(fields.type ?? "")].join(" ").toLowerCase(),
    headers: fields.responseHeaders ?? {},
    code,
    isCall: error instanceof Error,
  };
}

/** The system's code, from the error or from its cause. */
function systemCode(error: unknown): string | null {
  for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth++) {
    const { code } = at as NodeJS.ErrnoException;
    if (typeof code === "string" && /^[A-Z][A-Z_]+$/.test(code)) return code;
  }
  return null;
}

/** The message in a body: a field of its JSON, or the plain text. */
function spokenIn(body: string): string {
  if (!/^\s*[{[]/.test(body)) return /^\s*</.test(body) ? "" : body.trim().slice(0, 400);
  for (const name of ["message", "detail", "error"]) {
    const said = new RegExp(`"${name}"\\s*:\\s*("(?:[^"\\\\]|\\\\.){1,400}")`).exec(body)?.[1];
    if (said !== undefined) return unquoted(said);
  }
  return "";
}

function unquoted(json: string): string {
  try {
    return JSON.parse(json);
  } catch {
    return json.slice(1, -1); // Not quite JSON, but still words.
  }
}

/** How servers say that a conversation is too long; each says it differently. */
const TOO_LONG =
  /context[_ ]length|context[_ ]size|context[_ ]window|maximum context|exceed_context|prompt is too long|input is too long|too many (?:input )?tokens|input length and `?max_tokens|maximum prompt length|request_too_large|input tokens exceed|reduce the length|maximum model length|max_model_len|input token count|maximum number of tokens/;
const QUOTA =
  /insufficient[_ ]quota|exceeded your current quota|credit balance|insufficient[_ ](?:credits|balance|funds)|billing|payment required|out of credits/;
const UNREACHABLE =
  /^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|EHOSTDOWN|ETIMEDOUT|UND_ERR_CONNECT_TIMEOUT|ERR_INVALID_URL)$/;
const CERTIFICATE =
  /^(?:CERT_\w+|SELF_SIGNED_\w+|DEPTH_ZERO_SELF_SIGNED_CERT|ERR_TLS_\w+|ERR_SSL_\w+|EPROTO|UNABLE_TO_\w+)$/;

function kindOf({ status, message, text, code, isCall }: ErrorDetails): FailureKind {
  if (code && UNREACHABLE.test(code)) return "unreachable";
  if (code && CERTIFICATE.test(code)) return "certificate";
  // If the server did not answer, only the connection is known to be broken; the error's words may quote the
  // conversation.
  if (isCall && status === null) return "broken";
  if (/^(?:JSON parsing failed|Type validation failed)/.test(message)) return "broken";
  if (status === 401 || /authentication_error|invalid_api_key/.test(text)) return "key";
  if (status === 402 || QUOTA.test(text)) return "quota";
  if (status === 413 || (status !== 429 && TOO_LONG.test(text))) return "too long";
  if (status === 429 || /rate_limit/.test(text)) return "busy";
  if (status === 403) return "refused"; // The reason can be a country, a model or a key: only the server knows.
  if (status !== null && status < 500 && ![408, 409, 425].includes(status)) return refusal(status, text);
  return "server";
}

/** How servers say that a model accepts no images at all. */
const NO_IMAGES = /(?<!un)support|vision|multi-?modal/;

function refusal(status: number, text: string): FailureKind {
  if (/reasoning_effort/.test(text)) return "no effort";
  if (
    /does not support tools|tools? (?:use|calling|calls)? ?(?:is|are) not supported|support tool use|function calling is not/.test(
      text,
    )
  )
    return "no tools";
  if (/image|vision|multimodal|multi-modal/.test(text))
    return NO_IMAGES.test(text) ? "no images" : "bad image";
  if (/model_not_found|invalid model/.test(text) || saysNoModel(text)) return "no model";
  // Servers name the model if that is what they lack: `model: x`, `No endpoints found for x`.
  if (status === 404) return /\bmodel\b|no endpoints found/.test(text) ? "no model" : "no path";
  return status === 405 ? "no path" : "refused";
}

/** `The model "gpt-9" does not exist`. */
function saysNoModel(text: string): boolean {
  const [, ...rests] = text.split("model ");
  return rests.some((rest) => /not found|does not exist/.test(rest.slice(0, 100)));
}

/** What a call adds to the configured address. */
const CALLS = /\/(?:chat\/completions|messages|models|api\/tags)$/;

/** What is behind a silence may be a proxy, or something else at the address of one. Empty if none is in use. */
export function viaProxy({ baseUrl }: Endpoint): string {
  const proxy = proxyInUse(baseUrl);
  return proxy === null
    ? ""
    : ` Baton asks it through the proxy ${proxy}: check that this is an HTTP proxy. ${PROXY_CURE}`;
}

/** These may go away with another model. */
export const WANTS_MODEL: readonly FailureKind[] = ["no model", "too long"];

/** For people, wherever they are: what happened, and what to look at. */
export function sentenceFor(
  { kind, detail, retryAfterMs }: ModelFailure,
  endpoint: Endpoint,
  model: string,
): string {
  const host = hostOf(endpoint);
  const said = detail === "" ? "." : `: ${/[.!?…]$/.test(detail) ? detail : `${detail}.`}`;
  switch (kind) {
    case "key":
      return endpoint.apiKey === null
        ? `${host} needs an API key, but none is set. Set ${endpoint.keySetting}.`
        : `${host} refused the API key. Check ${endpoint.keySetting}.`;
    case "quota":
      return `Your account at ${host} has no credit or quota left.`;
    case "busy":
      return retryAfterMs === null
        ? `${host} is rate-limiting you. Try again in a minute.`
        : `${host} is rate-limiting you. Try again in ${counted(Math.ceil(retryAfterMs / 1_000), "second")}.`;
    case "no model":
      return `${host} has no model called "${model}". Run \`baton models\` to list its models.`;
    case "no path":
      return `${host} answers, but there is no model API at ${shownUrl(endpoint)}. Check ${urlSetting(endpoint)}; it often ends in /v1.`;
    case "server":
      return `${host} reported a server error${said}`;
    case "unreachable":
      return `Can't reach the model's server at ${host}. Check that it is running and that the network works.`;
    case "proxy":
      return `Can't reach ${host} through the proxy ${detail}. Check that the proxy is running. ${PROXY_CURE}`;
    case "proxy refused":
      return `The proxy ${detail} and does not let Baton reach ${host}. ${PROXY_CURE}`;
    case "certificate":
      return untrusted(endpoint, detail);
    case "elsewhere": {
      const where = detail === "" ? "to another address" : `to ${detail.replace(CALLS, "")}`;
      return `${host} redirects ${where}. Baton does not follow redirects, because they could send your API key to another server. Set ${urlSetting(endpoint)} to the address where the server itself answers.`;
    }
    case "bad port":
      return `The port of ${host} is reserved for something other than HTTP, so Baton can't connect to it. Make the model's server listen on another port, and set ${urlSetting(endpoint)} to it.`;
    case "broken":
      return `The answer from ${host} ended too early or was not valid.`;
    case "no word":
      return `${host} did not start to answer in time. If it needs longer, raise agent.firstWordSeconds.${viaProxy(endpoint)}`;
    case "silent":
      return `${host} stopped sending, so I stopped waiting.${viaProxy(endpoint)}`;
    case "endless":
      return `${host} kept sending without an end, so I stopped it.`;
    case "empty":
      return `${model} gave an empty answer${detail === "" || detail === kind ? "." : `: ${detail}.`}`;
    case "too long":
      return `This message alone is too long for ${model}. Shorten it, or use another model.`;
    case "no images":
    case "no tools":
    case "no effort":
    case "bad image":
    case "refused": {
      const cure = /api[ _-]?key|\bcredentials?\b/i.test(detail) ? ` Check ${endpoint.keySetting}.` : "";
      return `${host} refused the request${said}${cure}`;
    }
    default:
      return kind satisfies never;
  }
}

/** Why the same request is made again, as a sentence without its full stop. */
export function retryReason({ kind, status }: ModelFailure, endpoint: Endpoint, model: string): string {
  const host = hostOf(endpoint);
  const code = status === null ? "" : ` (${status})`;
  switch (kind) {
    case "busy":
      return `${host} is rate-limiting you${code}`;
    case "unreachable":
      return `Can't reach ${host}`;
    case "broken":
      return `The answer from ${host} ended too early or was not valid`;
    case "silent":
      return `${host} stopped sending`;
    case "empty":
      return `${model} gave an empty answer`;
    default:
      return `${host} reported a server error${code}`;
  }
}

/** Why no safe connection is possible, and what to do about it. */
function untrusted(endpoint: Endpoint, code: string): string {
  const host = hostOf(endpoint);
  switch (code) {
    case "CERT_HAS_EXPIRED":
      return `The certificate of ${host} has expired. Renew it there, or check the clock of this machine.`;
    case "CERT_NOT_YET_VALID":
      return `The certificate of ${host} is not valid yet. Check the clock of this machine.`;
    case "ERR_TLS_CERT_ALTNAME_INVALID":
      return `The certificate of ${host} is for another host name. Set ${urlSetting(endpoint)} to the name in the certificate.`;
    case "EPROTO":
    case "ERR_SSL_WRONG_VERSION_NUMBER":
    case "ERR_SSL_PACKET_LENGTH_TOO_LONG":
      return `${host} does not speak HTTPS. If it speaks plain HTTP, write http:// in ${urlSetting(endpoint)}.`;
    default:
      return `This machine does not trust the certificate of ${host} (${code}). If the server is yours, set NODE_EXTRA_CA_CERTS to the file of its CA certificate and restart Baton.`;
  }
}
