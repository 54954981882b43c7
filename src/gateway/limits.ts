/**
 * How much somebody may ask for, by role and by person: messages a minute, turns at once, model calls and files a day, and
 * tokens and cost of a day and of a session (usage-limits.ts says what these do). Pure. A missing setting means the default; `none` means no limit.
 */
import {
  type EveryonesLimits,
  LIMITS as USUAL,
  type UsageLimitName,
  type WrittenLimits,
} from "../config/role-defaults.js";
import { parseIdentity } from "../session/access.js";
import type { Role } from "./permissions.js";
import type { DaySpending } from "./store.js";

/** No limit is `Infinity`. */
export interface Limits extends Readonly<Record<UsageLimitName, number>> {
  readonly messagesPerMinute: number;
  readonly turnsAtOnce: number;
  readonly modelCallsPerDay: number;
  readonly mediaBytesPerDay: number;
}

export interface LimitLists {
  readonly guests?: WrittenLimits;
  readonly members?: WrittenLimits;
  readonly owners?: WrittenLimits;
  /** What all people together may use. */
  readonly everyone?: EveryonesLimits;
  /** By `platform:user`: limits of one person, for all their identities, instead of those of their role. */
  readonly byPerson?: Readonly<Record<string, WrittenLimits>>;
}

const GROUPS: Readonly<Record<Role, "guests" | "members" | "owners">> = {
  guest: "guests",
  member: "members",
  owner: "owners",
};

const LIMITS = [
  "messagesPerMinute",
  "turnsAtOnce",
  "modelCallsPerDay",
  "mediaBytesPerDay",
  "tokensPerDay",
  "costPerDay",
  "tokensPerSession",
  "costPerSession",
] as const satisfies readonly (keyof Limits)[];

export const MEGABYTE = 1024 * 1024;

export function limitsFor(
  { role, names }: { readonly role: Role; readonly names: readonly string[] },
  lists: LimitLists,
): Limits {
  const group = GROUPS[role];
  const own = Object.entries(lists.byPerson ?? {})
    .filter(([person]) => names.includes(parseIdentity(person) ?? ""))
    .map(([, written]) => written);
  const written: Required<WrittenLimits> = Object.assign({}, USUAL[group], lists[group], ...own);
  return {
    messagesPerMinute: count(written.messagesPerMinute),
    turnsAtOnce: count(written.turnsAtOnce),
    modelCallsPerDay: count(written.modelCallsPerDay),
    mediaBytesPerDay: count(written.mediaMegabytesPerDay) * MEGABYTE,
    tokensPerDay: count(written.tokensPerDay),
    costPerDay: count(written.costPerDay),
    tokensPerSession: count(written.tokensPerSession),
    costPerSession: count(written.costPerSession),
  };
}

/** What all people together may use. */
export function everyonesLimits({ everyone = {} }: LimitLists): Pick<Limits, "tokensPerDay" | "costPerDay"> {
  return { tokensPerDay: count(everyone.tokensPerDay), costPerDay: count(everyone.costPerDay) };
}

export function isLimit(limit: number): boolean {
  return limit !== Number.POSITIVE_INFINITY;
}

function count(limit: number | "none" = "none"): number {
  return limit === "none" ? Number.POSITIVE_INFINITY : limit;
}

/** True if these limits allow no more than those, in every respect. */
export function isWithin(limits: Limits, most: Limits): boolean {
  return LIMITS.every((name) => limits[name] <= most[name]);
}

/** What all identities of a person used together on a day. */
export function spentToday(
  identities: readonly string[],
  day: readonly DaySpending[],
): Omit<DaySpending, "identity"> {
  const theirs = day.filter(({ identity }) => identities.includes(identity));
  const sum = (what: Exclude<keyof DaySpending, "identity">) =>
    theirs.reduce((sum, spent) => sum + spent[what], 0);
  return {
    modelCalls: sum("modelCalls"),
    mediaBytes: sum("mediaBytes"),
    tokens: sum("tokens"),
    cost: sum("cost"),
  };
}

const DAY_MS = 24 * 60 * 60 * 1_000;

/** The day that counts, in UTC, and when it ends. */
export function dayOf(now: number): { readonly day: string; readonly endsAt: number } {
  return {
    day: new Date(now).toISOString().slice(0, 10),
    endsAt: (Math.floor(now / DAY_MS) + 1) * DAY_MS,
  };
}
