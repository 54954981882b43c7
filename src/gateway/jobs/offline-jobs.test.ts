/** Schedules as everybody can try them: with the agent that needs no model. */
import { afterEach, beforeEach, expect, it } from "vitest";
import { openScheduleWorld, type ScheduleWorld } from "../../../test/support/schedule-world.js";
import { offlineAgent } from "../../agent/offline.js";

let here: ScheduleWorld;
beforeEach(async () => {
  here = await openScheduleWorld({ agent: offlineAgent() });
});
afterEach(() => here.world.close());

it("reminds once", async () => {
  const { ann } = here;
  expect(await ann.ask("remind me in 10s to stretch")).toMatch(
    /^Made the job "Reminder: stretch" \(j_\w+\): once, Sat 10 Jan 2026 12:00:10 \(UTC\)\./,
  );
  here.pass(10_000);
  expect(await ann.next(1)).toBe("Reminder: stretch");
  expect(await ann.ask("what did I say?")).toMatch(/Last you said “remind me in 10s to stretch”\.$/);
});

it("follows the first words of a later day, of one person and in a group, as those of any other", async () => {
  const group = here.world.chat("ann", { chatId: "g", chatType: "group" });
  for (const chat of [here.ann, group]) await chat.ask("hello");
  here.pass(25 * 3_600_000);
  for (const chat of [here.ann, group])
    expect(await chat.ask("remind me in 10s to stretch")).toMatch(/^Made the job "Reminder: stretch" /);
});

it("reminds at a time of the clock", async () => {
  expect(await here.ann.ask("remind me tomorrow at 9 to call mum")).toMatch(/: once, Sun 11 Jan 2026 09:00 /);
});

it("says something again and again, in the chat where it was asked", async () => {
  const group = here.world.chat("ann", { chatId: "g", chatType: "group" });
  expect(await group.ask("every 1m say hello")).toMatch(/^Made the job "say hello" /);
  for (const told of [1, 2]) {
    here.pass(60_000);
    expect(await group.next(told)).toBe("hello");
    await here.ended((await here.job()).id);
  }
  expect(here.ann.told).toEqual([]);
});

it("says how to write a time that can't be read, and that a guest can't have a schedule", async () => {
  expect(await here.ann.ask("remind me one day to travel")).toMatch(
    /^I can't schedule that: Baton can't read "one day"/,
  );
  expect(await here.world.chat("gus").ask("every 1m say hello")).toBe(
    "I can't schedule anything for you here.",
  );
});

it("has a heartbeat that says nothing, because looking around takes a model", async () => {
  const { ann, world } = here;
  await ann.ask("hello");
  const desk = world.gateway.jobs?.desk;
  const who = await world.gateway.people.access(ann.source);
  if (!desk || !who.allowed) throw new Error("There are no jobs.");
  const { heartbeatWish } = await import("../../schedule/heartbeat.js");
  const origin = { key: ann.key, source: ann.source, account: world.adapter.account };
  const { job } = await desk.make(heartbeatWish(), { who, source: ann.source }, ann.source, origin);
  expect(job).toMatchObject({ session: "own", dailyTokens: 20_000, deliver: "origin" });
  here.pass(3_600_000);
  await expect
    .poll(async () => (await world.store.jobs.runs(job.id, 1))[0]?.state, { timeout: 30_000 })
    .toBe("silent");
  expect(ann.told).toHaveLength(1);
});
