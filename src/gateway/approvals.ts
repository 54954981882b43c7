/**
 * Asks before something dangerous is done. A question belongs to one call with exactly these arguments, to the lane in
 * which it was asked, and to the author of the request. Only the author, or an owner who may do at least as much, can
 * answer it, once. No answer in time means no.
 */
import { createHash, randomBytes } from "node:crypto";
import type { LetterButton } from "../adapter/adapter.js";
import type { Danger } from "../agent/agent.js";
import type { SessionKey } from "../session/session-key.js";
import { addressOf, formatAddress, type SessionSource } from "../session/source.js";
import type { Clock } from "../util/clock.js";
import { fenced } from "../util/markdown-fence.js";
import { seenText } from "../util/seen-text.js";
import { timerMs } from "../util/timer-ms.js";
import type { Who } from "./authorize.js";
import type { ButtonsShown } from "./buttons.js";
import { mayAllThat, type ToolLists } from "./permissions.js";
import { QuestionNumbers } from "./question-numbers.js";
import type { Account, Accounts, NewDelivery, Outbox, StandingApprovals } from "./store.js";

/** Null if the tool may run; otherwise its result instead. */
export type Approve = (tool: string, danger: Danger, signal: AbortSignal) => Promise<string | null>;

export interface ApprovalQuestion {
  /** What people say to mean this one. It is not given again soon, see `question-numbers.ts`. */
  readonly number: number;
  /** What its buttons carry. They stay under a message that nobody could change, so no other question ever has it. */
  readonly token: string;
  readonly key: SessionKey;
  /** The author of the request. */
  readonly author: Who;
  readonly tool: string;
  readonly danger: Danger;
  /** The messages that show it, once they are in the outbox. */
  shown: readonly Shown[];
}

type Shown = ButtonsShown & Pick<NewDelivery, "account">;

/** Equal only for the same tool, the same action, the same reason and the same variables. */
export function digestOf(tool: string, { reason, what, variables = {} }: Danger): string {
  const sorted = Object.entries(variables).sort(([one], [two]) => (one < two ? -1 : 1));
  return createHash("sha256")
    .update(JSON.stringify([tool, reason, what, ...sorted]))
    .digest("hex");
}

export type Verdict = "approved" | "denied";
type ApprovalOutcome = Verdict | "expired" | "stopped";

const OUTCOMES: Readonly<Record<Exclude<ApprovalOutcome, "approved">, string>> = {
  denied: "Error: not run: the person said no. Do not try it in another way; ask what they want instead.",
  expired: "Error: not run: nobody approved it in time. Ask the person before you try again.",
  stopped: "Error: not run, because the turn was stopped.",
};

/** What the question says at its end; nothing if somebody answered, because that has an answer of its own. */
const CLOSED: Readonly<Record<ApprovalOutcome, string>> = {
  approved: "",
  denied: "",
  expired: "Nobody answered in time, so I did not do it.",
  stopped: "I was stopped, so I did not do it.",
};

/** How long a person has to answer. */
const TIMEOUT_MS = 300_000;

/** How to ask in one chat. */
interface Asking {
  readonly account: Account;
  /** True if others are in the chat: there, an answer is one only if it is for Baton. */
  readonly isGroup: boolean;
  /** True if one key answers the oldest question. */
  readonly isByKey: boolean;
  /** True if nobody comes back to this chat, as in a script: an answer for good would be for nothing. */
  readonly isPassing: boolean;
  /** Puts the question into the outbox, and returns the messages that show it. */
  show(text: string, question: ApprovalQuestion): Promise<readonly Shown[]>;
  /** The question is over, in these words if nobody answered it. Must not throw. */
  close(question: ApprovalQuestion, why: string): void;
  /** True if somebody who may answer can be there. */
  canAnswer(danger: Danger): Promise<boolean>;
}

/**
 * Asks this person in this lane, unless an owner has allowed exactly this for good; actions that only an owner may
 * allow are asked about each time. `asking` is null if nobody can be asked.
 */
export function approver(
  approvals: Approvals,
  about: Pick<ApprovalQuestion, "key" | "author">,
  asking: Asking | null,
  standing: Pick<StandingApprovals, "has">,
): Approve {
  return async (tool, danger, signal) => {
    const isAllowed =
      !danger.onlyOwner && (await standing.has(about.key, about.author.identities, digestOf(tool, danger)));
    if (isAllowed) return null;
    if (!asking) return `Error: not run: nobody can approve it here. This ${danger.reason}. ${HOW_TO_ALLOW}`;
    if (!(await asking.canAnswer(danger))) return nobodyHere(danger);
    if (seenText(danger.what).text.length > MAX_SHOWN) return TOO_LONG;
    const number = await approvals.nextNumber(asking.account);
    const isAlone = approvals.isClear(about.key);
    const { question, outcome } = approvals.ask({ ...about, number, tool, danger }, signal, TIMEOUT_MS);
    const minutes = TIMEOUT_MS / 60_000;
    try {
      question.shown = await asking.show(questionText(question, { minutes, isAlone, ...asking }), question);
    } catch (error) {
      approvals.answer(question, "denied"); // Nobody has seen it.
      asking.close(question, "");
      throw error;
    }
    const answer = await outcome;
    asking.close(question, CLOSED[answer]);
    return answer === "approved" ? null : OUTCOMES[answer];
  };
}

/** In a script or a job. The person reads it, too. */
const HOW_TO_ALLOW = "To allow it, ask for it in a chat (`baton` opens one) and answer yes there.";

function nobodyHere({ reason, onlyOwner }: Danger): string {
  const who = onlyOwner
    ? "only an owner can allow it, and no owner is in this chat. Tell the person so"
    : "nobody can approve it here";
  return `Error: not run: ${who}. This ${reason}.`;
}

/** A text that can't be shown completely can't be approved. */
const MAX_SHOWN = 2_000;
const TOO_LONG = `Error: not run: it needs approval, but is too long to show (over ${MAX_SHOWN} characters). Do it in smaller steps.`;

interface QuestionLook extends Pick<Asking, "isGroup" | "isByKey" | "isPassing"> {
  readonly minutes: number;
  /** True if a bare yes or no would be clear now. */
  readonly isAlone: boolean;
}

/** The question in words; invisible and look-alike characters are written out. */
export function questionText(question: ApprovalQuestion, look: QuestionLook): string {
  const { number, danger } = question;
  const { text, isSpelt } = seenText(danger.what);
  const note = isSpelt ? `\n\n${LOOK_ALIKES}` : "";
  const about = `This ${danger.reason}.${note}\n\n${fenced(text)}`;
  const inTime = `no answer in ${look.minutes} minutes means no`;
  const which = look.isAlone ? "" : ` ${number}`;
  const may = mayBeAlways(question, look);
  if (look.isByKey)
    return `${about}\n\nAllow? y / n${may ? " / a(lways here)" : ""}\n(${inTime}; this is question ${number})`;
  const answers = [`yes${which}`, `no${which}`, ...(may ? [`always${which}`] : [])].join(" / ");
  const terms = [
    inTime,
    ...(may ? ["always: I do not ask again about exactly this here"] : []),
    ...(look.isGroup ? ["in a group, reply to this message or name me"] : []),
    ...(look.isAlone ? [`this is question ${number}`] : []),
  ];
  return `${about}\n\nAllow? ${answers}\n(${terms.join("; ")})`;
}

function mayBeAlways(
  { author, danger }: ApprovalQuestion,
  { isPassing }: Pick<QuestionLook, "isPassing">,
): boolean {
  return author.role === "owner" && !danger.onlyOwner && !isPassing;
}

/** The same answers as buttons. */
export function answersTo(
  question: ApprovalQuestion,
  look: Pick<QuestionLook, "isPassing">,
): readonly (LetterButton & { readonly word: string })[] {
  const { token } = question;
  return [
    { label: "Allow once", command: `/approve ${token}`, word: "yes" },
    { label: "Deny", command: `/deny ${token}`, word: "no" },
    ...(mayBeAlways(question, look)
      ? [{ label: "Always here", command: `/approve ${token} always`, word: "always" }]
      : []),
  ];
}

const LOOK_ALIKES =
  "Careful: it contains invisible or look-alike characters. They are written as \\u{…} below.";

/** So soon after another question, an answer without a number may have meant that one, … */
const SOON_MS = 10_000;
/** … unless this one was there for so long that the person has seen it. */
const SEEN_MS = 4_000;

export class Approvals {
  readonly #lists: ToolLists;
  readonly #clock: Clock;
  readonly #numbers: QuestionNumbers;
  /** When the last question was settled, by lane. */
  readonly #settledAt = new Map<SessionKey, number>();
  readonly #open = new Map<ApprovalQuestion, (outcome: ApprovalOutcome) => void>();

  constructor(lists: ToolLists, clock: Clock, accounts: Pick<Accounts, "read" | "write">) {
    this.#lists = lists;
    this.#clock = clock;
    this.#numbers = new QuestionNumbers(accounts, clock);
  }

  /** For a question that is asked through this account. */
  nextNumber(account: Account): Promise<number> {
    return this.#numbers.next(account, () => new Set([...this.#open.keys()].map(({ number }) => number)));
  }

  /** Opens a question; it is settled by `answer`, by the signal, or after the time-out. */
  ask(
    about: Omit<ApprovalQuestion, "token" | "shown">,
    signal: AbortSignal,
    timeoutMs: number,
  ): { readonly question: ApprovalQuestion; readonly outcome: Promise<ApprovalOutcome> } {
    const question: ApprovalQuestion = { ...about, token: newToken(), shown: [] };
    const outcome = new Promise<ApprovalOutcome>((resolve) => {
      const settle = (how: ApprovalOutcome): void => {
        clearTimeout(timer);
        signal.removeEventListener("abort", stopped);
        this.#open.delete(question);
        this.#settledAt.set(question.key, this.#clock());
        resolve(how);
      };
      const stopped = (): void => settle("stopped");
      const timer = setTimeout(settle, timerMs(timeoutMs), "expired");
      this.#open.set(question, settle);
      if (signal.aborted) stopped();
      else signal.addEventListener("abort", stopped, { once: true });
    });
    return { question, outcome };
  }

  /** The questions that this person can answer in this lane. */
  openTo(key: SessionKey, who: Who): ApprovalQuestion[] {
    return [...this.#open.keys()].filter((question) => question.key === key && this.mayAnswer(who, question));
  }

  /** True if a question is open in this lane, whoever may answer it. */
  isWaiting(key: SessionKey): boolean {
    return [...this.#open.keys()].some((question) => question.key === key);
  }

  /** True if no other question is open in this lane, or was shortly before. */
  isClear(key: SessionKey): boolean {
    return !this.isWaiting(key) && !this.#wasOneSettled(key);
  }

  /**
   * The question that an answer without a number means; null if it may mean another one. `shownAt` tells since when a
   * question can be seen where the answer came from; null if it cannot.
   */
  async meant(
    open: readonly ApprovalQuestion[],
    shownAt: (question: ApprovalQuestion) => Promise<number | null>,
  ): Promise<ApprovalQuestion | null> {
    const [only, ...others] = open;
    if (!only || others.length > 0) return null;
    const at = await shownAt(only);
    if (at === null) return null;
    return this.#wasOneSettled(only.key) && this.#clock() - at < SEEN_MS ? null : only;
  }

  #wasOneSettled(key: SessionKey): boolean {
    const now = this.#clock();
    for (const [lane, at] of this.#settledAt) if (at <= now - SOON_MS) this.#settledAt.delete(lane);
    return this.#settledAt.has(key);
  }

  mayAnswer(who: Who, { author, danger }: Pick<ApprovalQuestion, "author" | "danger">): boolean {
    const isOwner = who.role === "owner";
    const isTheirs = author.identities.some((identity) => who.identities.includes(identity));
    return (isOwner || (isTheirs && !danger.onlyOwner)) && mayAllThat(who, author, this.#lists);
  }

  answer(question: ApprovalQuestion, verdict: Verdict): void {
    this.#open.get(question)?.(verdict);
  }
}

/** Since when all of a question can be seen in the chat that this came from; null if it cannot. */
export async function shownAt(
  { shown }: ApprovalQuestion,
  { account, source }: { readonly account: string; readonly source: SessionSource },
  outbox: Pick<Outbox, "sentAt">,
): Promise<number | null> {
  const here = formatAddress(addressOf(source));
  const isHere = shown.every((each) => each.account === account && formatAddress(each.address) === here);
  return shown.length > 0 && isHere ? outbox.sentAt(shown.map(({ deliveryId }) => deliveryId)) : null;
}

/** It begins like no number and none of the words of `/approve`. */
function newToken(): string {
  return `q${randomBytes(8).toString("hex")}`;
}
