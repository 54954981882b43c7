/**
 * What went wrong with a call, in the port's words. What grammY throws is never passed on: beneath it is the address of
 * the call, and that holds the token.
 */
import { GrammyError, HttpError } from "grammy";
import { proxyFailureIn } from "../../util/proxy-in-use.js";
import { failuresOf } from "../failure.js";
import { errorCode, HttpRefusal, wasNeverSent } from "../http-call.js";
import { WRONG_TOKEN } from "./wrong-token.js";

const CONFLICT = 409;
const WEBHOOK =
  "A webhook is set for this bot, so its messages go elsewhere: delete the webhook, or make another bot.";
const SECOND_READER = "Another program reads the messages of this bot: stop it, or make another bot.";

export const { connectError, sendError, sentenceOf } = failuresOf({
  name: "Telegram",
  answerIn(error) {
    const page = error instanceof HttpError ? error.error : null;
    if (page instanceof HttpRefusal) {
      const { status, isPage, retryAfterMs } = page;
      return { status, words: "", isPage, retryAfterMs };
    }
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

/** The network's code alone, and whether anything was sent; or what the proxy did. */
function withoutAddress(error: unknown): Error {
  const broken = error instanceof HttpError ? error.error : error;
  const proxy = proxyFailureIn(broken);
  if (proxy) return proxy;
  const code = errorCode(broken);
  const known = /^[A-Z_]{3,40}$/.test(code) ? { code } : {};
  const before = wasNeverSent(broken) ? { syscall: "connect" } : {};
  return Object.assign(new Error("the connection broke"), known, before);
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

/** The Bot API said no, in these words. */
export function isRefusal(error: unknown, words: RegExp): boolean {
  return error instanceof GrammyError && error.error_code === 400 && words.test(error.description);
}

/** The Bot API does not do that: not in this chat, not for this bot, or its server is too old for it. */
export function isDeclined(error: unknown): boolean {
  return error instanceof GrammyError && (error.error_code === 400 || error.error_code === 404);
}

/** Nobody can write in that topic: it was closed or deleted. */
export function isTopicGone(error: unknown): boolean {
  return isRefusal(error, /thread not found|topic_(?:closed|deleted|id_invalid)/i);
}

/** There is no such chat, or none for the bot. */
export function isMissing(error: unknown): boolean {
  const isForbidden = error instanceof GrammyError && error.error_code === 403;
  return isForbidden || isRefusal(error, /chat not found|member list is inaccessible/i);
}
