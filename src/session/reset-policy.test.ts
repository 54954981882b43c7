import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ODD_ZONES, ZoneOracle } from "../../test/support/zone-oracle.js";
import { isPlatform } from "./platform.js";
import {
  checkResetConfig,
  checkTimeZone,
  DEFAULT_RESET_POLICY,
  nextReset,
  policyFor,
  type ResetConfig,
  type ResetPolicy,
  resetReason,
} from "./reset-policy.js";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const at = (iso: string): number => Date.parse(iso);
const daily = (atHour: number): ResetPolicy => ({ ...DEFAULT_RESET_POLICY, mode: "daily", atHour });
const idle = (idleMinutes: number): ResetPolicy => ({ ...DEFAULT_RESET_POLICY, mode: "idle", idleMinutes });

describe("resetReason", () => {
  const utc = { timeZone: "UTC" };

  it("never resets by default", () => {
    expect(resetReason(DEFAULT_RESET_POLICY, { lastActivityAt: 0, now: 50 * 365 * DAY, ...utc })).toBeNull();
    expect(nextReset(DEFAULT_RESET_POLICY, { lastActivityAt: 0, now: 0, ...utc })).toBeNull();
  });

  it("resets after the idle time; exactly at the deadline it survives", () => {
    expect(resetReason(idle(60), { lastActivityAt: 0, now: HOUR, ...utc })).toBeNull();
    expect(resetReason(idle(60), { lastActivityAt: 0, now: HOUR + 1, ...utc })).toBe("idle");
  });

  it("resets at the hour of the civil day", () => {
    const berlin = { timeZone: "Europe/Berlin" };
    const lastActivityAt = at("2026-03-10T22:00:00Z");
    expect(resetReason(daily(4), { lastActivityAt, now: at("2026-03-11T02:59:59Z"), ...berlin })).toBeNull();
    expect(resetReason(daily(4), { lastActivityAt, now: at("2026-03-11T03:00:00Z"), ...berlin })).toBe(
      "daily",
    );
  });

  it("names idle first where both are due", () => {
    const both: ResetPolicy = { mode: "both", idleMinutes: 60, atHour: 4, notify: true };
    const lastActivityAt = at("2026-01-01T00:00:00Z");
    expect(resetReason(both, { lastActivityAt, now: at("2026-01-02T05:00:00Z"), ...utc })).toBe("idle");
    expect(
      resetReason(both, {
        lastActivityAt: at("2026-01-02T03:30:00Z"),
        now: at("2026-01-02T04:10:00Z"),
        ...utc,
      }),
    ).toBe("daily");
  });

  it("never resets when the clock jumps back", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 4e12 }), fc.nat(400 * DAY), fc.nat(23), (now, ahead, hour) => {
        const both: ResetPolicy = { mode: "both", idleMinutes: 1, atHour: hour, notify: true };
        expect(
          resetReason(both, { lastActivityAt: now + ahead, now, timeZone: "America/Santiago" }),
        ).toBeNull();
      }),
      { numRuns: 200 },
    );
  });

  it.each([
    ["a gap", "Europe/Berlin", 2, "2026-03-29T01:00:00Z"], // 02:00 does not exist, 03:00 is the first instant after it
    ["a gap of three hours", "Antarctica/Casey", 3, "2009-10-17T18:00:00Z"], // 02:00 → 05:00
    ["a gap at midnight", "America/Santiago", 0, "2024-09-08T04:00:00Z"],
    ["a gap into the next day", "America/Nuuk", 23, "2026-03-29T01:00:00Z"],
    ["a fold, its first time", "Europe/Berlin", 2, "2026-10-25T00:00:00Z"],
    ["a half-hour gap", "Australia/Lord_Howe", 2, "2026-10-03T15:30:00Z"],
  ])("puts the boundary right in %s", (_, timeZone, hour, boundary) => {
    const now = at(boundary);
    expect(resetReason(daily(hour), { lastActivityAt: now - 1, now: now - 1, timeZone })).toBeNull();
    expect(resetReason(daily(hour), { lastActivityAt: now - 1, now, timeZone })).toBe("daily");
    expect(resetReason(daily(hour), { lastActivityAt: now, now: now + HOUR, timeZone })).toBeNull();
  });

  it("has no boundary on a day that a zone skipped", () => {
    const apia = { timeZone: "Pacific/Apia" }; // 29 December 2011 was followed by the 31st
    const lastActivityAt = at("2011-12-30T09:00:00Z"); // 23:00 on the 29th
    expect(resetReason(daily(4), { lastActivityAt, now: at("2011-12-30T13:59:00Z"), ...apia })).toBeNull();
    expect(resetReason(daily(4), { lastActivityAt, now: at("2011-12-30T14:00:00Z"), ...apia })).toBe("daily");
  });
});

/** The last boundary of a day that has begun. */
function latestBoundary(oracle: ZoneOracle, now: number, hour: number): number {
  const today = Math.floor((now + oracle.offset(now)) / DAY);
  const days = oracle.days(now - 5 * DAY, now + 5 * DAY).filter(({ day }) => day <= today);
  return Math.max(...days.map(({ first }) => first(hour * HOUR)).filter((instant) => instant <= now));
}

describe("resetReason beside an oracle", () => {
  const [from, to] = [Date.UTC(2000, 0, 1), Date.UTC(2040, 0, 1)];
  const everything = process.env.BATON_TEST_FULL === "1";
  const zones = everything ? Intl.supportedValuesOf("timeZone") : ODD_ZONES;

  it.each(zones)(
    "%s",
    (timeZone) => {
      const oracle = new ZoneOracle(timeZone, from, to);
      const step = everything ? 1 : Math.max(1, Math.ceil(oracle.transitions.length / 6));
      const overMidnight = (t: number): boolean =>
        Math.floor((t - 1 + oracle.offset(t - 1)) / DAY) !== Math.floor((t + oracle.offset(t)) / DAY);
      const oddest = oracle.transitions.filter(overMidnight).slice(0, 3);
      const around = [...oracle.transitions.filter((_, index) => index % step === 0), ...oddest];
      if (timeZone === "Pacific/Apia" || timeZone === "Pacific/Fakaofo")
        around.push(Date.UTC(2011, 11, 30, 10));
      for (const transition of around.length > 0 ? around : [from + 100 * DAY]) {
        for (let hour = 0; hour < 24; hour++) {
          for (const shift of [-1, 0, 30 * MINUTE, 90 * MINUTE, 5 * HOUR, 26 * HOUR]) {
            const now = transition + shift;
            const boundary = latestBoundary(oracle, now, hour);
            const where = `${new Date(now).toISOString()} at ${hour}`;
            expect(resetReason(daily(hour), { lastActivityAt: boundary, now, timeZone }), where).toBeNull();
            expect(resetReason(daily(hour), { lastActivityAt: boundary - 1, now, timeZone }), where).toBe(
              "daily",
            );
          }
        }
      }
    },
    600_000,
  );

  it("resets at most once a civil day, however often somebody writes", () => {
    for (const timeZone of [
      "Europe/Berlin",
      "America/St_Johns",
      "Pacific/Apia",
      "Africa/Casablanca",
      "Australia/Lord_Howe",
    ]) {
      const civilDay = new Intl.DateTimeFormat("en-CA", { timeZone });
      const start = timeZone === "Pacific/Apia" ? Date.UTC(2011, 11, 25) : Date.UTC(2010, 9, 25);
      for (const hour of [0, 2, 4, 23]) {
        const days = new Map<string, number>();
        let lastActivityAt = start;
        for (let now = start; now < start + 15 * DAY; now += 20 * MINUTE) {
          if (resetReason(daily(hour), { lastActivityAt, now, timeZone })) {
            const day = civilDay.format(now);
            days.set(day, (days.get(day) ?? 0) + 1);
          }
          lastActivityAt = now;
        }
        expect(Math.max(...days.values()), `${timeZone} at ${hour}`).toBe(1);
        expect(days.size).toBeGreaterThanOrEqual(13);
      }
    }
  });
});

describe("nextReset", () => {
  it("is when resetReason begins to give its reason", () => {
    const zone = fc.constantFrom(
      "UTC",
      "Europe/Berlin",
      "America/Santiago",
      "Pacific/Apia",
      "Asia/Kathmandu",
    );
    const policies = fc.record({
      mode: fc.constantFrom("idle", "daily", "both" as const),
      idleMinutes: fc.integer({ min: 1, max: 4_000 }),
      atHour: fc.nat(23),
      notify: fc.constant(true),
    });
    fc.assert(
      fc.property(
        policies,
        fc.integer({ min: 946_684_800_000, max: 2_208_988_800_000 }),
        zone,
        (policy, lastActivityAt, timeZone) => {
          const next = nextReset(policy, { lastActivityAt, now: lastActivityAt, timeZone });
          if (!next) throw new Error("a policy that resets has a next reset");
          const due = next.reason === "idle" ? next.at + 1 : next.at; // exactly at the idle deadline it survives
          expect(resetReason(policy, { lastActivityAt, now: due, timeZone })).toBe(next.reason);
          expect(resetReason(policy, { lastActivityAt, now: due - 1, timeZone })).toBeNull();
        },
      ),
      { numRuns: 300 },
    );
  });

  it("stays in the past where it is already due", () => {
    expect(nextReset(idle(60), { lastActivityAt: 0, now: 9 * DAY, timeZone: "UTC" })).toEqual({
      reason: "idle",
      at: HOUR,
    });
  });
});

describe("policyFor", () => {
  const config: ResetConfig = {
    default: { mode: "idle", idleMinutes: 30 },
    byPlatform: { slack: { mode: "daily" } },
    byChatType: { group: { atHour: 6 } },
  };
  it("looks at the platform, then the chat type, then the default", () => {
    expect(policyFor(config, "slack", "group")).toEqual({
      policy: { mode: "daily", idleMinutes: 30, atHour: 4, notify: true },
      from: "platform",
    });
    expect(policyFor(config, "signal", "group")).toMatchObject({
      policy: { mode: "idle", atHour: 6 },
      from: "chat type",
    });
    expect(policyFor({}, "signal", "dm")).toEqual({ policy: DEFAULT_RESET_POLICY, from: "default" });
  });
});

describe("bad settings", () => {
  it.each<[string, unknown, string]>([
    ["reset.default.atHour", { default: { atHour: 24 } }, "invalid_reset_policy"],
    ["reset.default.atHour", { default: { atHour: "4" } }, "invalid_reset_policy"],
    ["reset.default.idleMinutes", { default: { idleMinutes: 0 } }, "invalid_reset_policy"],
    ["reset.default.idleMinutes", { default: { idleMinutes: Number.NaN } }, "invalid_reset_policy"],
    ["reset.default.mode", { default: { mode: "weekly" } }, "invalid_reset_policy"],
    ["reset.default.notify", { default: { notify: "no" } }, "invalid_reset_policy"],
    ["reset.default.hour", { default: { hour: 4 } }, "invalid_reset_policy"],
    ["reset.byPlatform.icq", { byPlatform: { icq: {} } }, "unknown_platform"],
    ["reset.byPlatform.slack.atHour", { byPlatform: { slack: { atHour: -1 } } }, "invalid_reset_policy"],
    ["reset.byChatType.forum", { byChatType: { forum: {} } }, "invalid_reset_policy"],
  ])("names %s", (name, config, code) => {
    expect(() => checkResetConfig(config as ResetConfig, isPlatform)).toThrow(
      expect.objectContaining({ code, message: expect.stringContaining(name) }),
    );
  });

  it("is refused by the functions themselves", () => {
    const moment = { lastActivityAt: 0, now: 1e12, timeZone: "UTC" };
    for (const bad of [{ atHour: 24 }, { idleMinutes: 0 }, { idleMinutes: 1e15 }, { mode: "x" }]) {
      const policy = { ...DEFAULT_RESET_POLICY, mode: "both", ...bad } as ResetPolicy;
      for (const ask of [resetReason, nextReset]) {
        expect(() => ask(policy, moment)).toThrow(expect.objectContaining({ code: "invalid_reset_policy" }));
      }
    }
    expect(() => resetReason(daily(4), { ...moment, timeZone: "Mars/Olympus" })).toThrow(
      expect.objectContaining({ code: "invalid_time_zone" }),
    );
    expect(() => checkResetConfig({ defalt: {} } as ResetConfig, isPlatform)).toThrow(/reset.defalt/);
    expect(() => checkResetConfig(null as never, isPlatform)).toThrow(
      expect.objectContaining({ code: "invalid_reset_policy" }),
    );
  });

  it.each(["Mars/Olympus", "", "+25:00", "europe berlin"])("refuses time zone %j", (zone) => {
    expect(() => checkTimeZone(zone)).toThrow(expect.objectContaining({ code: "invalid_time_zone" }));
  });
});
