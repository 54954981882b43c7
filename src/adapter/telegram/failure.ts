/**
 * What went wrong with a call, in the port's words. What grammY throws is never passed on: beneath it is the address of
 * the call, and that holds the token.
 */
import { GrammyError, HttpError } from "grammy";
import { ConnectError, SendError } from "../adapter.js";
import { wasNeverSent } from "../http-call.js";
import { outcomeOfStatus } from "../send-failure.js";
import { WRONG_TOKEN } from "./wrong-token.js";

const CONFLICT = 409;
const WEBHOOK =
  "A webhook is set for this bot, so its messages go elsewhere: delete the webhook, or make another bot.";
const SECOND_READER = "Another program reads the messages of this bot: stop it, or make another bot.";

/** What the Bot API answered, or why it did not. */
export type TelegramFailure =
  | {
      readonly kind: "refused";
      readonly code: number;
      readonly words: string;
      readonly retryAfterMs?: number;
    }
  /** The call never reached it. */
  | { readonly kind: "unreached"; readonly words: string }
  /** Nobody knows what became of it. */
  | { readonly kind: "unanswered"; readonly words: string };

export function failureOf(error: unknown): TelegramFailure {
  if (error instanceof GrammyError && typeof error.error_code === "number") {
    const { error_code: code, description, parameters } = error;
    const words = String(description);
    const seconds = parameters.retry_after;
    return typeof seconds === "number"
      ? { kind: "refused", code, words, retryAfterMs: seconds * 1_000 }
      : { kind: "refused", code, words };
  }
  const beneath = error instanceof HttpError ? error.error : error;
  const code = errorCode(beneath);
  if (wasNeverSent(beneath))
    return { kind: "unreached", words: `Telegram cannot be reached (${code ?? "no connection"}).` };
  return {
    kind: "unanswered",
    words: code ? `Telegram did not answer (${code}).` : "Telegram did not answer.",
  };
}

/** Why the bot cannot be reached, or is reached no more. */
export function connectErrorOf(error: unknown): ConnectError {
  const failure = failureOf(error);
  if (failure.kind !== "refused") return new ConnectError("retryable", failure.words);
  const { code, words, retryAfterMs } = failure;
  if (code === 401 || code === 404) return new ConnectError("permanent", WRONG_TOKEN);
  if (code === CONFLICT)
    return new ConnectError("retryable", /webhook/i.test(words) ? WEBHOOK : SECOND_READER);
  return new ConnectError("retryable", `Telegram answers: ${words}.`, {
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
}

export function cannotConnect(error: unknown): never {
  throw connectErrorOf(error);
}

/** Another program reads the updates, or has them sent elsewhere. */
export function isConflict(error: unknown): boolean {
  const failure = failureOf(error);
  return failure.kind === "refused" && failure.code === CONFLICT;
}

/** Where a group went that became a supergroup. */
export function movedTo(error: unknown): string | null {
  const to = error instanceof GrammyError ? error.parameters.migrate_to_chat_id : undefined;
  return Number.isSafeInteger(to) && to !== 0 ? String(to) : null;
}

export function sendErrorOf(error: unknown): SendError {
  if (error instanceof SendError) return error;
  const failure = failureOf(error);
  switch (failure.kind) {
    case "unreached":
      return new SendError("retryable", failure.words);
    case "unanswered":
      return new SendError("unknown", failure.words);
    case "refused":
      return refusal(failure);
    default:
      return failure satisfies never;
  }
}

function refusal({ code, words, retryAfterMs }: Extract<TelegramFailure, { kind: "refused" }>): SendError {
  const asksToWait = retryAfterMs !== undefined;
  return new SendError(
    outcomeOfStatus(code, asksToWait),
    code === 401 ? WRONG_TOKEN : words,
    asksToWait ? { retryAfterMs } : {},
  );
}

function errorCode(error: unknown): string | undefined {
  const code = typeof error === "object" && error !== null && "code" in error ? error.code : undefined;
  return typeof code === "string" && /^[A-Z_]{3,40}$/.test(code) ? code : undefined;
}

/** The Bot API said no, in these words. */
export function isRefusal(error: unknown, words: RegExp): boolean {
  return error instanceof GrammyError && error.error_code === 400 && words.test(error.description);
}

/** There is no such chat, or none for the bot. */
export function isMissing(error: unknown): boolean {
  const isForbidden = error instanceof GrammyError && error.error_code === 403;
  return isForbidden || isRefusal(error, /chat not found|member list is inaccessible/i);
}
