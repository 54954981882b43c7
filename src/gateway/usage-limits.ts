/**
 * The limits of what model calls use: tokens and cost, of a person's day, of everybody's day and of a session. A call is
 * refused once so much was used; at 80 % the person is told. What a call uses is known only after it, so a call that
 * began below a limit may end above it. Pure; the words do not show to others what a person used.
 */
import { dollars, grouped } from "../util/words.js";
import { isLimit, type Limits } from "./limits.js";
import type { Spend } from "./usage-store.js";

export interface UsageLimit {
  /** As the store remembers that somebody was told. */
  readonly name: string;
  readonly whose: "everyone" | "person" | "session";
  readonly unit: keyof Spend;
  readonly most: number;
}

/** How much of a limit is used. */
export interface UsedLimit extends UsageLimit {
  readonly used: number;
}

/** What each kind of limit is compared with. */
export type Spends = Readonly<Record<UsageLimit["whose"], Spend>>;

/** When the person is told that a limit is near. */
const NEAR = 0.8;

/** Those that there are. A day's come first: if one is reached, a new session does not help. */
export function usageLimits(
  own: Pick<Limits, "tokensPerDay" | "costPerDay" | "tokensPerSession" | "costPerSession"> | null,
  everyone: Pick<Limits, "tokensPerDay" | "costPerDay">,
): readonly UsageLimit[] {
  const limit = (whose: UsageLimit["whose"], name: string, unit: keyof Spend, most: number): UsageLimit[] =>
    isLimit(most) ? [{ name, whose, unit, most }] : [];
  return [
    ...limit("everyone", "everyone.tokensPerDay", "tokens", everyone.tokensPerDay),
    ...limit("everyone", "everyone.costPerDay", "cost", everyone.costPerDay),
    ...(own
      ? [
          ...limit("person", "tokensPerDay", "tokens", own.tokensPerDay),
          ...limit("person", "costPerDay", "cost", own.costPerDay),
          ...limit("session", "tokensPerSession", "tokens", own.tokensPerSession),
          ...limit("session", "costPerSession", "cost", own.costPerSession),
        ]
      : []),
  ];
}

export function usedOf(limits: readonly UsageLimit[], spends: Spends): readonly UsedLimit[] {
  return limits.map((limit) => ({ ...limit, used: spends[limit.whose][limit.unit] }));
}

/** The limit that refuses the next call; null if it may be made. */
export function reachedOf(limits: readonly UsedLimit[]): UsedLimit | null {
  return limits.find(({ used, most }) => used >= most) ?? null;
}

/** The limits that the person is told about. */
export function nearOf(limits: readonly UsedLimit[]): readonly UsedLimit[] {
  return limits.filter(({ used, most }) => used >= most * NEAR);
}

/** Who reads it, and when a day's limit starts afresh: "at midnight UTC, in 3 h". */
export interface LimitReader {
  /** False in a group: others read what is said there. */
  readonly isAlone: boolean;
  readonly isOwner: boolean;
  readonly freeAgain: string;
}

/** Why a call is refused, and what to do. */
export function refusalOf(limit: UsedLimit, { isAlone, isOwner, freeAgain }: LimitReader): string {
  const { whose, unit, used, most } = limit;
  const goOn = `You can go on ${freeAgain}.`;
  switch (whose) {
    case "everyone":
      return isOwner && isAlone
        ? `All people together have used ${amount(unit, used)} today, and limits.everyone allows ${amount(unit, most)} a day. ${goOn}`
        : `The people here have together used all that they may use today. ${goOn}`;
    case "person":
      return isAlone
        ? `You have used ${amount(unit, used)} today, and you may use ${amount(unit, most)} a day. ${goOn}`
        : `You have reached your limit for today. ${goOn}`;
    case "session":
      return `This session has used ${amount(unit, used)}, and you may use ${amount(unit, most)} in one. Start a new one with /new.`;
    default:
      return whose satisfies never;
  }
}

/** What the person reads after the answer that brought them near a limit; null if this is not for them. */
export function noticeOf(limit: UsedLimit, { isAlone, isOwner, freeAgain }: LimitReader): string | null {
  const { whose, unit, used, most } = limit;
  const isAll = used >= most;
  const part = isAll ? "all" : `${Math.floor((used / most) * 100)} %`;
  const then = isAll ? ` You can go on ${freeAgain}.` : "";
  switch (whose) {
    case "everyone":
      if (!isOwner || !isAlone) return null;
      return `All people together have used ${part} of today's ${amount(unit, most)}.${then}`;
    case "person":
      if (isAlone) return `You have used ${part} of today's ${amount(unit, most)}.${then}`;
      return `You have used ${isAll ? "all" : "most"} of what you may use today. Send me /usage in private to see more.`;
    case "session":
      return `This session has used ${part} of its ${amount(unit, most)}. Start a new one with /new${isAll ? "" : " soon"}.`;
    default:
      return whose satisfies never;
  }
}

/** `12,345 tokens`, `$1.25`. */
export function amount(unit: keyof Spend, value: number): string {
  return unit === "tokens" ? `${grouped(value)} token${value === 1 ? "" : "s"}` : dollars(value);
}
