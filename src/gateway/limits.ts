/**
 * How much somebody may ask for, by role and by person: messages a minute, turns at once, model calls and files a day.
 * Pure. A missing setting means the default; `none` means no limit.
 */
import { LIMITS as USUAL, type WrittenLimits } from "../config/role-defaults.js";
import { parseIdentity } from "../session/access.js";
import type { Role } from "./permissions.js";
import type { DaySpending } from "./store.js";

/** No limit is `Infinity`. */
export interface Limits {
  readonly messagesPerMinute: number;
  readonly turnsAtOnce: number;
  readonly modelCallsPerDay: number;
  readonly mediaBytesPerDay: number;
}

export interface LimitLists {
  readonly guests?: WrittenLimits;
  readonly members?: WrittenLimits;
  readonly owners?: WrittenLimits;
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
  const count = (limit: number | "none") => (limit === "none" ? Number.POSITIVE_INFINITY : limit);
  return {
    messagesPerMinute: count(written.messagesPerMinute),
    turnsAtOnce: count(written.turnsAtOnce),
    modelCallsPerDay: count(written.modelCallsPerDay),
    mediaBytesPerDay: count(written.mediaMegabytesPerDay) * MEGABYTE,
  };
}

/** True if these limits allow no more than those, in every respect. */
export function isWithin(limits: Limits, most: Limits): boolean {
  return LIMITS.every((name) => limits[name] <= most[name]);
}

/** What all identities of a person used together on a day. */
export function spentToday(
  identities: readonly string[],
  day: readonly DaySpending[],
): Pick<DaySpending, "modelCalls" | "mediaBytes"> {
  const theirs = day.filter(({ identity }) => identities.includes(identity));
  return {
    modelCalls: theirs.reduce((sum, { modelCalls }) => sum + modelCalls, 0),
    mediaBytes: theirs.reduce((sum, { mediaBytes }) => sum + mediaBytes, 0),
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
