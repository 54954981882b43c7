/**
 * When a session starts fresh. Pure: the same function serves messages, the expiry watcher and `explain`.
 * Times are milliseconds UTC; civil time is that of an IANA zone.
 */
import { Temporal } from "temporal-polyfill";
import { firstInstant } from "../util/civil-time.js";
import { InputError } from "./errors.js";
import { type Platform, platforms } from "./platform.js";
import { CHAT_TYPES, type ChatType } from "./source.js";

export type ResetMode = "none" | "idle" | "daily" | "both";
export const RESET_REASONS = ["idle", "daily"] as const;
export type ResetReason = (typeof RESET_REASONS)[number];

export interface ResetPolicy {
  readonly mode: ResetMode;
  /** Idle: reset once this long has passed since the last activity. */
  readonly idleMinutes: number;
  /** Daily: reset at this hour of the civil day, 0 to 23. */
  readonly atHour: number;
  /** Tell the chat that a reset happened, and why. */
  readonly notify: boolean;
}

/** No resets by default: losing a context hurts more than keeping an old one. */
export const DEFAULT_RESET_POLICY: ResetPolicy = { mode: "none", idleMinutes: 1440, atHour: 4, notify: true };

/** Policies by platform, then by chat type, then the default; each is laid over the default. */
export interface ResetConfig {
  readonly default?: Partial<ResetPolicy>;
  readonly byPlatform?: Readonly<Record<Platform, Partial<ResetPolicy>>>;
  readonly byChatType?: Readonly<Partial<Record<ChatType, Partial<ResetPolicy>>>>;
}

export interface ResetMoment {
  readonly lastActivityAt: number;
  readonly now: number;
  readonly timeZone: string;
}

/** Why a session with this last activity must start fresh now, or null. */
export function resetReason(policy: ResetPolicy, moment: ResetMoment): ResetReason | null {
  checkPolicy(policy, "policy");
  const { lastActivityAt, now, timeZone } = moment;
  if (resetsWhenIdle(policy) && now > lastActivityAt + policy.idleMinutes * 60_000) return "idle";
  if (resetsDaily(policy) && lastActivityAt < latestBoundary(now, policy.atHour, timeZone)) return "daily";
  return null;
}

/** Sessions whose last activity was before this start fresh now; null if the policy never says so. */
function resetsBefore(policy: ResetPolicy, now: number, timeZone: string): number | null {
  checkPolicy(policy, "policy");
  const idle = resetsWhenIdle(policy) ? [now - policy.idleMinutes * 60_000] : [];
  const daily = resetsDaily(policy) ? [latestBoundary(now, policy.atHour, timeZone)] : [];
  const limits = [...idle, ...daily];
  return limits.length === 0 ? null : Math.max(...limits);
}

/** Open sessions of a kind of place that expire if nothing happened in them since. */
export interface ExpiryRule {
  readonly platform: Platform;
  readonly chatType: ChatType;
  readonly before: number;
}

/** Since when nothing may have happened in which place, so that a session there starts fresh now. */
export function expiryRules(config: ResetConfig, now: number, timeZone: string): ExpiryRule[] {
  return platforms().flatMap((platform) =>
    CHAT_TYPES.flatMap((chatType) => {
      const before = resetsBefore(policyFor(config, platform, chatType).policy, now, timeZone);
      return before === null ? [] : [{ platform, chatType, before }];
    }),
  );
}

/** When the next reset is due if nothing more happens; in the past if it is already due. */
export function nextReset(
  policy: ResetPolicy,
  moment: ResetMoment,
): { readonly reason: ResetReason; readonly at: number } | null {
  checkPolicy(policy, "policy");
  const { lastActivityAt, timeZone } = moment;
  const idleAt = resetsWhenIdle(policy)
    ? lastActivityAt + policy.idleMinutes * 60_000
    : Number.POSITIVE_INFINITY;
  const dailyAt = resetsDaily(policy)
    ? firstBoundaryAfter(lastActivityAt, policy.atHour, timeZone)
    : Number.POSITIVE_INFINITY;
  if (Math.min(idleAt, dailyAt) === Number.POSITIVE_INFINITY) return null;
  return idleAt <= dailyAt ? { reason: "idle", at: idleAt } : { reason: "daily", at: dailyAt };
}

/** The policy for a session, and which rule it comes from. */
export function policyFor(
  config: ResetConfig,
  platform: Platform,
  chatType: ChatType,
): { readonly policy: ResetPolicy; readonly from: "platform" | "chat type" | "default" } {
  const base = { ...DEFAULT_RESET_POLICY, ...config.default };
  const byPlatform = config.byPlatform?.[platform];
  if (byPlatform) return { policy: { ...base, ...byPlatform }, from: "platform" };
  const byChatType = config.byChatType?.[chatType];
  if (byChatType) return { policy: { ...base, ...byChatType }, from: "chat type" };
  return { policy: base, from: "default" };
}

/** Refuses an invalid configuration and names the key. */
export function checkResetConfig(config: ResetConfig, isPlatform: (name: string) => boolean): void {
  for (const name of Object.keys(config ?? {})) {
    if (!["default", "byPlatform", "byChatType"].includes(name)) {
      throw new InputError(
        "invalid_reset_policy",
        `reset.${name} is unknown: use default, byPlatform and byChatType.`,
      );
    }
  }
  if (typeof config !== "object" || config === null) {
    throw new InputError(
      "invalid_reset_policy",
      "reset must be an object with default, byPlatform and byChatType.",
    );
  }
  checkPolicy(config.default, "reset.default");
  for (const [platform, policy] of Object.entries(config.byPlatform ?? {})) {
    if (!isPlatform(platform)) {
      throw new InputError(
        "unknown_platform",
        `reset.byPlatform.${platform}: unknown platform "${platform}".`,
      );
    }
    checkPolicy(policy, `reset.byPlatform.${platform}`);
  }
  for (const [chatType, policy] of Object.entries(config.byChatType ?? {})) {
    if (!CHAT_TYPES.includes(chatType as ChatType)) {
      throw new InputError(
        "invalid_reset_policy",
        `reset.byChatType.${chatType}: use one of ${CHAT_TYPES.join(", ")}.`,
      );
    }
    checkPolicy(policy, `reset.byChatType.${chatType}`);
  }
}

/** Refuses a name that is not an IANA time zone. */
export function checkTimeZone(timeZone: string, name = "timeZone"): void {
  zoned(0, timeZone, name);
}

function zoned(instant: number, timeZone: string, name = "timeZone"): Temporal.ZonedDateTime {
  try {
    return Temporal.Instant.fromEpochMilliseconds(instant).toZonedDateTimeISO(timeZone);
  } catch (cause) {
    throw new InputError(
      "invalid_time_zone",
      `${name}: ${JSON.stringify(timeZone)} is not a time zone; use an IANA name such as Europe/Berlin or UTC.`,
      { cause },
    );
  }
}

/** A hundred years. */
const MAX_IDLE_MINUTES = 52_560_000;

function checkPolicy(policy: Partial<ResetPolicy> | undefined, name: string): void {
  if (policy === undefined) return;
  if (typeof policy !== "object" || policy === null) {
    throw new InputError(
      "invalid_reset_policy",
      `${name} must be an object such as { mode: "daily", atHour: 4 }.`,
    );
  }
  const refuse = (field: string, rule: string): never => {
    const value = JSON.stringify(policy[field as keyof ResetPolicy]);
    throw new InputError("invalid_reset_policy", `${name}.${field} is ${value}: ${rule}.`);
  };
  const known = Object.keys(DEFAULT_RESET_POLICY);
  for (const field of Object.keys(policy)) {
    if (!known.includes(field)) refuse(field, `unknown key; use ${known.join(", ")}`);
  }
  const { mode, idleMinutes, atHour, notify } = { ...DEFAULT_RESET_POLICY, ...policy };
  if (!["none", "idle", "daily", "both"].includes(mode)) refuse("mode", "use none, idle, daily or both");
  if (!(idleMinutes > 0 && idleMinutes <= MAX_IDLE_MINUTES)) {
    refuse("idleMinutes", `use a number of minutes above 0, at most ${MAX_IDLE_MINUTES}`);
  }
  if (!Number.isInteger(atHour) || atHour < 0 || atHour > 23)
    refuse("atHour", "use a whole hour from 0 to 23");
  if (typeof notify !== "boolean") refuse("notify", "use true or false");
}

function resetsWhenIdle(policy: ResetPolicy): boolean {
  return policy.mode === "idle" || policy.mode === "both";
}

function resetsDaily(policy: ResetPolicy): boolean {
  return policy.mode === "daily" || policy.mode === "both";
}

/** Spans from boundary to boundary, by zone and hour: civil time is too slow to compute for each message. */
const spans = new Map<string, { readonly from: number; readonly until: number }>();
const MAX_SPANS = 100;

/** The latest daily boundary at or before `now`. */
function latestBoundary(now: number, atHour: number, timeZone: string): number {
  const name = `${atHour} ${timeZone}`;
  const known = spans.get(name);
  if (known && known.from <= now && now < known.until) return known.from;

  const here = zoned(now, timeZone);
  // Days in the future do not count, even if a fold over midnight has already shown their first minute.
  const boundary = Math.max(...boundaries(here, [-2, -1, 0], atHour).filter((at) => at <= now));
  const next = Math.min(...boundaries(here, [0, 1, 2], atHour).filter((at) => at > now));
  if (!nearTransition(here)) {
    if (spans.size >= MAX_SPANS) spans.clear();
    spans.set(name, { from: boundary, until: next });
  }
  return boundary;
}

/** Within three days of a change of offset, where days are long, short, doubled or missing. */
function nearTransition(here: Temporal.ZonedDateTime): boolean {
  const next = here.subtract({ days: 3 }).getTimeZoneTransition("next");
  return next !== null && next.epochMilliseconds < here.add({ days: 3 }).epochMilliseconds;
}

function firstBoundaryAfter(instant: number, atHour: number, timeZone: string): number {
  const here = zoned(instant, timeZone);
  return Math.min(...boundaries(here, [-1, 0, 1, 2], atHour).filter((at) => at > instant));
}

/** The boundaries of the days at these distances from today; three in a row cover any transition. */
function boundaries(here: Temporal.ZonedDateTime, days: readonly number[], atHour: number): number[] {
  const today = here.toPlainDate();
  return days.flatMap((shift) => {
    const boundary = today.add({ days: shift }).toPlainDateTime({ hour: atHour });
    return firstInstant(boundary, here.timeZoneId) ?? []; // A day that the zone skipped has none.
  });
}
