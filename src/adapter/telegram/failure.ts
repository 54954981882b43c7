/**
 * What went wrong with a call, in the port's words. What grammY throws is never passed on: beneath it is the address of
 * the call, and that holds the token.
 */
import { GrammyError, HttpError } from "grammy";
import { failuresOf } from "../failure.js";
import { WRONG_TOKEN } from "./wrong-token.js";

const CONFLICT = 409;
const WEBHOOK =
  "A webhook is set for this bot, so its messages go elsewhere: delete the webhook, or make another bot.";
const SECOND_READER = "Another program reads the messages of this bot: stop it, or make another bot.";

export const { connectError, sendError, sentenceOf } = failuresOf({
  name: "Telegram",
  answerIn(error) {
    if (!(error instanceof GrammyError) || typeof error.error_code !== "number") return null;
    const { error_code: status, parameters } = error;
    const words = String(error.description);
    return {
      status,
      words,
      retryAfterMs: typeof parameters.retry_after === "number" ? parameters.retry_after * 1_000 : undefined,
      sentence: status === CONFLICT ? (/webhook/i.test(words) ? WEBHOOK : SECOND_READER) : undefined,
      mend: status === 401 || status === 404 ? WRONG_TOKEN : undefined,
    };
  },
  beneath: withoutAddress,
});

/** The network's code alone. */
function withoutAddress(error: unknown): Error {
  const code = errorCode(error instanceof HttpError ? error.error : error);
  return Object.assign(new Error("the connection broke"), code === undefined ? {} : { code });
}

/** Another program reads the updates, or has them sent elsewhere. */
export function isConflict(error: unknown): boolean {
  return error instanceof GrammyError && error.error_code === CONFLICT;
}

/** Where a group went that became a supergroup. */
export function movedTo(error: unknown): string | null {
  const to = error instanceof GrammyError ? error.parameters.migrate_to_chat_id : undefined;
  return Number.isSafeInteger(to) && to !== 0 ? String(to) : null;
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
