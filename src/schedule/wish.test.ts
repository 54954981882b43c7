import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { InputError } from "../session/errors.js";
import { type JobWish, settingOf } from "./wish.js";

const NOW = Date.UTC(2026, 10, 17, 13);
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const context = { now: NOW, timeZone: "Europe/Berlin", timeoutMs: 10 * MINUTE };
const least: JobWish = { prompt: "say the news", schedule: "every day at 9" };
const made = settingOf(least, context);

describe("settingOf", () => {
  it("has everything as usual that was not asked for", () => {
    expect(made).toEqual({
      name: "say the news",
      prompt: "say the news",
      command: null,
      timing: { schedule: { kind: "cron", expression: "0 9 * * *" }, timeZone: "Europe/Berlin", from: NOW },
      deliver: "origin",
      session: "own",
      model: null,
      tools: null,
      catchUp: { missed: "latest", graceMs: 12 * HOUR },
      overlap: "skip",
      jitterMs: 0,
      timeoutMs: 10 * MINUTE,
      repeat: null,
      dailyTokens: null,
    });
  });

  it("is called by its text until it has a name of its own", () => {
    const other = settingOf({ prompt: "say the weather" }, context, made);
    expect(other.name).toBe("say the weather");
    const named = settingOf({ name: "News" }, context, made);
    expect(settingOf({ prompt: "say the weather" }, context, named).name).toBe("News");
  });

  const all: JobWish = {
    name: " News\u202e\n of today ",
    command: " date ",
    schedule: "every 30m",
    timeZone: "Asia/Tokyo",
    deliver: " telegram, local ",
    session: "Origin",
    model: "big",
    tools: ["fetch_url"],
    missed: "ALL",
    grace: "2h",
    overlap: "queue",
    jitter: "5m",
    timeout: "1h",
    repeat: 3,
    dailyTokens: 1_000,
  };
  const full = settingOf({ ...all, prompt: null }, context);

  it("has everything that was asked for", () => {
    expect(full).toEqual({
      name: "News of today",
      prompt: null,
      command: "date",
      timing: { schedule: { kind: "every", everyMs: 30 * MINUTE }, timeZone: "Asia/Tokyo", from: NOW },
      deliver: "telegram, local",
      session: "origin",
      model: "big",
      tools: ["fetch_url"],
      catchUp: { missed: "all", graceMs: 2 * HOUR },
      overlap: "queue",
      jitterMs: 5 * MINUTE,
      timeoutMs: HOUR,
      repeat: 3,
      dailyTokens: 1_000,
    });
  });

  it("leaves what a change does not name", () => {
    const later = { ...context, now: NOW + HOUR, timeZone: "UTC", timeoutMs: 1 };
    expect(settingOf({}, later, full)).toEqual(full);
    expect(settingOf({ name: "other" }, later, full)).toEqual({ ...full, name: "other" });
    expect(settingOf({ timeZone: "UTC" }, later, full).timing).toEqual({ ...full.timing, timeZone: "UTC" });
  });

  it("takes away what a change sets to nothing", () => {
    const none = { model: null, tools: null, repeat: null, dailyTokens: null, jitter: "0" };
    expect(settingOf({ ...none, prompt: "x", command: null }, context, full)).toMatchObject({
      ...{
        model: null,
        tools: null,
        repeat: null,
        dailyTokens: null,
        jitterMs: 0,
        prompt: "x",
        command: null,
      },
    });
    expect(() => settingOf({ command: " " }, context, full)).toThrow("Say what the job does");
  });

  it("has another usual grace with another schedule, unless one was asked for", () => {
    const later = { ...context, now: NOW + HOUR };
    const rare = settingOf({ schedule: "every day at 9" }, later, full);
    expect(rare.catchUp).toEqual({ missed: "latest", graceMs: 12 * HOUR });
    expect(rare.timing.from).toBe(NOW + HOUR);
    expect(settingOf({ schedule: "every 30m", missed: "all" }, later, full).catchUp).toEqual({
      ...{ missed: "all", graceMs: 0 },
    });
  });

  it.each<[JobWish, RegExp]>([
    [{ schedule: "1h" }, /Say what the job does/],
    [{ prompt: " ", schedule: "1h" }, /Say what the job does/],
    [{ prompt: "x" }, /Say when the job runs/],
    [{ ...least, timeZone: "Mars/Base" }, /IANA/],
    [{ ...least, name: "\u200b" }, /name of a job can't be empty/],
    [{ ...least, prompt: "x".repeat(20_001) }, /too long/],
    [{ ...least, deliver: "" }, /list of places/],
    [{ ...least, session: "mine" }, /one of own, origin/],
    [{ ...least, missed: "some" }, /one of latest, skip, all, not "some"/],
    [{ ...least, overlap: "both" }, /one of skip, queue/],
    [{ ...least, jitter: "soon" }, /"soon" can't be the jitter/],
    [{ ...least, jitter: "25h" }, /can't be the jitter/],
    [{ ...least, timeout: "2d" }, /can't be the timeout/],
    [{ ...least, timeout: "0" }, /the timeout can't be 0/],
    [{ ...least, grace: "-1h" }, /can't be the grace/],
    [{ ...least, repeat: 0 }, /whole number/],
    [{ ...least, repeat: 1.5 }, /whole number/],
    [{ ...least, dailyTokens: -1 }, /whole number/],
  ])("refuses %j", (wish, why) => {
    expect(() => settingOf(wish, context)).toThrow(why);
  });

  it("gives a setting that a change without wishes leaves alone, or refuses with a sentence", () => {
    const word = fc.oneof(
      fc.string({ unit: "binary", maxLength: 20 }),
      fc.constantFrom("0", "1h", "skip", "origin", "all"),
    );
    const wish = fc.record(
      {
        name: word,
        prompt: fc.option(word),
        command: fc.option(word),
        schedule: fc.oneof(word, fc.constant("every day at 9")),
        deliver: word,
        session: word,
        missed: word,
        grace: word,
        jitter: word,
        timeout: word,
        repeat: fc.option(fc.double()),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(wish, fc.boolean(), (wanted, isChange) => {
        try {
          const setting = settingOf(wanted, context, isChange ? full : undefined);
          expect(settingOf({}, context, setting)).toEqual(setting);
          expect(setting.prompt ?? setting.command).not.toBeNull();
        } catch (error) {
          expect(error).toBeInstanceOf(InputError);
        }
      }),
    );
  });
});
