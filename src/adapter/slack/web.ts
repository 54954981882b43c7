/** Slack's Web API as the adapter uses it: one attempt a call, nothing printed, and failures in our own words. */
import { type Logger, LogLevel } from "@slack/socket-mode";
import {
  WebAPIHTTPError,
  WebAPIPlatformError,
  WebAPIRateLimitedError,
  WebAPIRequestError,
  WebClient,
  type WebClientOptions,
} from "@slack/web-api";
import { type FailedAnswer, type Failures, failuresOf } from "../failure.js";
import { fetchJson, HttpRefusal } from "../http-call.js";
import { wordsIn } from "../untrusted.js";
import type { SlackSettings } from "./config.js";

const BASE_URL = "https://slack.com/api/";
const TIMEOUT_MS = 15_000;

export const SILENT: Logger = {
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: () => {},
  setLevel: () => {},
  getLevel: () => LogLevel.ERROR,
  setName: () => {},
};

export function baseUrlOf({ baseUrl = BASE_URL }: SlackSettings): string {
  return baseUrl.endsWith("/") ? baseUrl : `${baseUrl}/`;
}

export function timeoutOf({ timeoutMs = TIMEOUT_MS }: SlackSettings): number {
  return timeoutMs;
}

/** One attempt only: the outbox knows when to try again, and the gateway how many things to do at once. */
export function clientOptions(settings: SlackSettings): WebClientOptions {
  return {
    slackApiUrl: baseUrlOf(settings),
    timeout: timeoutOf(settings),
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    allowAbsoluteUrls: false,
    logger: SILENT,
    fetch: callSlack,
  };
}

/** The library has no error of its own for a rate limit that does not say how long. */
const callSlack: NonNullable<WebClientOptions["fetch"]> = async (url, init) => {
  const response = await fetchJson(url, init as RequestInit);
  const { status, headers } = response;
  if (status === 429 && !/^\d+$/.test(headers.get("retry-after") ?? "")) throw new HttpRefusal(response, "");
  return response;
};

export function webClient(settings: SlackSettings): WebClient {
  return new WebClient(settings.botToken(), clientOptions(settings));
}

/** Slack's own word for what went wrong; empty where it did not answer. */
export function slackErrorOf(error: unknown): string {
  return error instanceof WebAPIPlatformError ? String(error.data.error) : "";
}

/** The token is wrong, or not wanted any more. */
const WRONG_TOKEN = new Set([
  "invalid_auth",
  "not_authed",
  "account_inactive",
  "token_revoked",
  "token_expired",
  "not_allowed_token_type",
  "user_removed_from_team",
  "team_disabled",
]);

type TokenName = "SLACK_BOT_TOKEN" | "SLACK_APP_TOKEN";

const WHERE: Readonly<Record<TokenName, string>> = {
  SLACK_BOT_TOKEN: "the Bot User OAuth Token (xoxb-…) under OAuth & Permissions",
  SLACK_APP_TOKEN: "an App-Level Token (xapp-…) with the scope connections:write under Basic Information",
};

/** Said by Slack where it could not work just then, and did nothing. */
const TRY_AGAIN = new Set([
  "ratelimited",
  "rate_limited",
  "service_unavailable",
  "request_timeout",
  "team_added_to_org",
]);

function answerIn(error: unknown, token: TokenName): FailedAnswer | null {
  if (error instanceof WebAPIRateLimitedError)
    return { status: 429, words: "too many requests", retryAfterMs: error.retryAfter * 1_000 };
  if (error instanceof WebAPIHTTPError) return { status: error.statusCode, words: "" };
  const page = error instanceof WebAPIRequestError ? error.original : error;
  if (page instanceof HttpRefusal) {
    const { status, isPage, retryAfterMs } = page;
    return { status, words: "", isPage, retryAfterMs };
  }
  const said = slackErrorOf(error);
  if (said === "") return null;
  return {
    status: 400,
    words: IN_WORDS[said] ?? said,
    outcome: MAY_HAVE_WORKED.has(said) ? "unknown" : TRY_AGAIN.has(said) ? "retryable" : "permanent",
    mend: mendOf(error, said, token),
  };
}

function mendOf(error: unknown, said: string, token: TokenName): string | undefined {
  const place = "your app's settings at api.slack.com/apps";
  if (WRONG_TOKEN.has(said))
    return `Slack does not accept ${token} (${said}). Set it to ${WHERE[token]} in ${place}.`;
  if (said !== "missing_scope") return undefined;
  const scope = wordsIn(error, "data", "needed") || "that this needs";
  return `The Slack app of ${token} lacks the scope ${scope}. Add it in ${place} and install the app again.`;
}

function failuresWith(token: TokenName): Failures {
  return failuresOf({
    name: "Slack",
    answerIn: (error) => answerIn(error, token),
    beneath: (error) => (error instanceof WebAPIRequestError ? error.original : error),
  });
}
export const { connectError, sendError } = failuresWith("SLACK_BOT_TOKEN");
/** What goes wrong with the socket's token. */
export const { connectError: socketError } = failuresWith("SLACK_APP_TOKEN");

/** Slack failed on its side: what was asked for may have been done all the same. */
const MAY_HAVE_WORKED = new Set(["fatal_error", "internal_error"]);

const IN_WORDS: Readonly<Record<string, string>> = {
  not_in_channel: "the bot is not in that channel; invite it there with /invite",
  channel_not_found: "there is no such channel, or the bot cannot see it; invite it there with /invite",
  is_archived: "the channel is archived",
};
