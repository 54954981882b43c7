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
import { ConnectError, SendError } from "../adapter.js";
import { outcomeOfSilence, outcomeOfStatus } from "../send-failure.js";
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
  };
}

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

export type TokenName = "SLACK_BOT_TOKEN" | "SLACK_APP_TOKEN";

const WHERE: Readonly<Record<TokenName, string>> = {
  SLACK_BOT_TOKEN: "the Bot User OAuth Token (xoxb-…) under OAuth & Permissions",
  SLACK_APP_TOKEN: "an App-Level Token (xapp-…) with the scope connections:write under Basic Information",
};

export function connectError(error: unknown, token: TokenName): ConnectError {
  const said = slackErrorOf(error);
  if (WRONG_TOKEN.has(said) || said === "missing_scope") {
    const sentence = `Slack does not accept ${token} (${said}). Set it to ${WHERE[token]} in your app's settings at api.slack.com/apps.`;
    return new ConnectError("permanent", sentence);
  }
  return new ConnectError("retryable", `Slack does not answer as it should: ${reasonOf(error)}.`, {
    cause: error,
  });
}

/** Said by Slack where it could not work just then, and did nothing. */
const TRY_AGAIN = new Set([
  "ratelimited",
  "rate_limited",
  "service_unavailable",
  "request_timeout",
  "team_added_to_org",
]);
export function sendError(error: unknown): SendError {
  if (error instanceof SendError) return error;
  if (error instanceof WebAPIRateLimitedError) {
    return new SendError("retryable", "Slack asks to wait.", {
      retryAfterMs: error.retryAfter * 1_000,
      cause: error,
    });
  }
  const said = slackErrorOf(error);
  if (WRONG_TOKEN.has(said))
    return new SendError("permanent", connectError(error, "SLACK_BOT_TOKEN").message);
  const reason = `Slack did not take it: ${reasonOf(error)}.`;
  return new SendError(outcomeOf(error, said), reason, { cause: error });
}

function outcomeOf(error: unknown, said: string): SendError["outcome"] {
  if (mayHaveWorked(error)) return "unknown";
  if (said !== "") return TRY_AGAIN.has(said) ? "retryable" : "permanent";
  if (error instanceof WebAPIHTTPError) return outcomeOfStatus(error.statusCode);
  return outcomeOfSilence(error instanceof WebAPIRequestError ? error.original : error);
}

/** Slack failed on its side: what was asked for may have been done all the same. */
export function mayHaveWorked(error: unknown): boolean {
  const said = slackErrorOf(error);
  if (said !== "") return said === "fatal_error" || said === "internal_error";
  return error instanceof WebAPIHTTPError && outcomeOfStatus(error.statusCode) === "unknown";
}

const IN_WORDS: Readonly<Record<string, string>> = {
  not_in_channel: "the bot is not in that channel; invite it there with /invite",
  channel_not_found: "there is no such channel, or the bot cannot see it; invite it there with /invite",
  is_archived: "the channel is archived",
};

function reasonOf(error: unknown): string {
  const said = slackErrorOf(error);
  if (said === "missing_scope" && error instanceof WebAPIPlatformError) {
    return `the app lacks the scope ${wordsIn(error.data, "needed") || "it needs"}; add it and install the app again`;
  }
  if (said !== "") return IN_WORDS[said] ?? said.slice(0, 200);
  if (error instanceof WebAPIHTTPError) return `HTTP ${error.statusCode}`;
  if (error instanceof WebAPIRequestError) return codeOf(error.original) || error.original.message;
  return error instanceof Error ? error.message : String(error);
}

/** The network's own code; `fetch` hides it in the cause. */
function codeOf(error: Error): string {
  if (error.name === "TimeoutError") return "it took too long";
  const { cause } = error;
  const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
  return typeof code === "string" ? code : "";
}
