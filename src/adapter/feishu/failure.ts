/** What Feishu's answers mean. It answers a failure with a number of its own, and often with status 200 or 400 whatever it is. */
import { ConnectError } from "../adapter.js";
import { failuresOf } from "../failure.js";
import { type AnswerHead, HttpRefusal } from "../http-call.js";
import { numberIn, wordsIn } from "../untrusted.js";

export class FeishuRefusal extends HttpRefusal {
  /** Feishu's own number; undefined if it is not Feishu that answered. */
  readonly code: number | undefined;
  readonly words: string;
  /** How long Feishu asks to wait. */
  readonly waitMs: number | undefined;

  /** It refuses the app itself, whatever its number. */
  readonly isSignIn: boolean;

  constructor(head: AnswerHead, text: string, isSignIn = false) {
    super(head, text);
    this.isSignIn = isSignIn;
    this.code = numberIn(this.body, "code");
    this.words = [wordsIn(this.body, "msg"), this.code].filter(Boolean).join(", ");
    const reset = head.headers.get("x-ogw-ratelimit-reset") ?? "";
    const isSoon = /^\d{1,6}(?:\.\d{1,6})?$/.test(reset) && Number(reset) > 0;
    this.waitMs = this.retryAfterMs ?? (isSoon ? Math.ceil(Number(reset) * 1_000) : undefined);
  }
}

/** Too fast: by the API, by the chat, by the person. */
const TOO_FAST = new Set([99991400, 230020, 11232, 11233, 11247]);
/** It may go through later: the same message is just being sent, or the app has 50 connections. */
const LATER = new Set([230049, 18121, 1000040350]);
/** The token is wrong, or of another time. */
const STALE = new Set([99991661, 99991663, 99991664, 99991665, 99991668, 99991671, 99991677, 4001, 20005]);
/** The long connection is refused to this app. */
const WRONG_APP = 514;
/** Feishu's own trouble. */
const BROKEN = new Set([1, 1500, 1503, 1642, 1663, 1668, 2200, 5000, 10101, 10105, 10500, 1000040343]);

const WRONG_SECRET =
  "Feishu does not accept FEISHU_APP_ID and FEISHU_APP_SECRET. Copy both from the app's page: Credentials & Basic Info. For an app of open.larksuite.com, set platforms.feishu.domain to lark.";

const failures = failuresOf({
  name: "Feishu",
  answerIn(error) {
    if (!(error instanceof FeishuRefusal)) return null;
    const { isPage, isSignIn, words, code = 0, waitMs } = error;
    // With a number it is Feishu's own answer, and the status says little.
    const status = error.status < 300 && code !== 0 ? 400 : error.status;
    const answer = { status, words, isPage, retryAfterMs: waitMs };
    if (isPage) return answer;
    if (TOO_FAST.has(code)) return { ...answer, status: 429 };
    if (LATER.has(code)) return { ...answer, outcome: "retryable" };
    if (BROKEN.has(code)) return { ...answer, status: 500 };
    const isWrong = isStale(error) || code === WRONG_APP || (isSignIn && status < 429);
    // With another secret the same message can be sent.
    return isWrong ? { ...answer, mend: WRONG_SECRET, outcome: "retryable" } : answer;
  },
});

export const { sendError } = failures;

/** How long until something that was refused is asked for again: somebody may have changed the app meanwhile. */
const REFUSED_MS = 5 * 60_000;

/** While connecting, a refusal is about the app: it lacks something, which its sentence says. */
export function connectError(error: unknown): ConnectError {
  const known = failures.connectError(error);
  const isRefused =
    error instanceof FeishuRefusal && !error.isPage && sendError(error).outcome === "permanent";
  if (!isRefused || known.outcome === "permanent") return known;
  const { message } = known;
  return new ConnectError("permanent", message, { cause: error, retryAfterMs: REFUSED_MS });
}

/** A call with this token did nothing, and one with a new token may go through. */
export function isStale(error: unknown): boolean {
  return error instanceof FeishuRefusal && STALE.has(error.code ?? 0);
}

/** Feishu's number; 0 if it is not Feishu that answered. */
export function codeOf(error: unknown): number {
  return error instanceof FeishuRefusal && !error.isPage ? (error.code ?? 0) : 0;
}
