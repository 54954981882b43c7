/** Many handoffs at the same time, between two gateways over one store. */

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { openDb } from "../../src/open-sessions.js";
import type { HandoffId } from "../../src/session/ids.js";
import { platforms } from "../../src/session/platform.js";
import { openSqlStore } from "../../src/store/sql-store.js";
import { ScriptedAdapter } from "../../src/testing/scripted-adapter.js";
import { type Chat, until, World } from "../support/gateway-world.js";

const [, HERE = "", THERE = "", ELSEWHERE = ""] = platforms();
const PEOPLE = Array.from({ length: 20 }, (_, n) => `ann${n}`);
const owners = { [HERE]: PEOPLE, [THERE]: PEOPLE };

let folder: string;
let asker: World;
let carrier: World;
let there: ScriptedAdapter;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "baton-at-once-"));
  const open = async () => openSqlStore(await openDb(join(folder, "baton.db")), 0);
  there = new ScriptedAdapter({ platform: THERE });
  const people = { people: { owners } };
  carrier = await World.open({ on: await open(), platform: ELSEWHERE, beside: [there], ...people });
  asker = await World.open({ on: await open(), ...people });
});
afterEach(async () => {
  for (const world of [asker, carrier]) {
    await world.close();
    await world.store.close();
  }
  await rm(folder, { recursive: true, force: true });
});

const outcomes = ({ told }: Chat): string[] => told.filter((text) => /^(Moved|The handoff)/.test(text));

it("moves 20 conversations at once, each to its own place", async () => {
  const chats = PEOPLE.map((person) => asker.chat(person));
  for (const chat of chats) await chat.ask(`I am ${chat.source.userId}`);
  const before = await Promise.all(chats.map((chat) => chat.session()));
  await Promise.all(chats.map((chat) => chat.write(`/handoff ${THERE}:${chat.source.userId}`)));
  await until(() => chats.every((chat) => outcomes(chat).length === 1));
  for (const [n, chat] of chats.entries()) {
    const { userId = "" } = chat.source;
    const moved = carrier.chat(userId, {}, there);
    expect(outcomes(chat)).toEqual([expect.stringContaining(`Moved to Discord, DM with ${userId} `)]);
    expect((await moved.session()).sessionId).toBe(before[n]?.sessionId);
    expect(await asker.sessions.current(chat.key)).toBeNull();
    await until(() => moved.told.length === 2);
    expect((await moved.transcript())[0]).toBe(`user: I am ${userId}`);
  }
});

it("refuses the second of two handoffs of one conversation, with the state of the first", async () => {
  for (const [n, person] of PEOPLE.slice(0, 5).entries()) {
    const chat = asker.chat(person);
    await chat.ask("hello");
    const entry = await chat.session();
    const places = await Promise.all(
      [asker, carrier].map(({ gateway }, which) =>
        gateway.handoffs.placeNamed(`${THERE}:${PEOPLE[2 * n + which + 5]}`, null),
      ),
    );
    const asked = await Promise.allSettled(
      [asker, carrier].map(async ({ gateway }, which) => {
        const place = places[which];
        return place && gateway.handoffs.ask(entry, place, null);
      }),
    );
    const [done] = asked.flatMap((each) => (each.status === "fulfilled" && each.value ? [each.value] : []));
    const [refused] = asked.flatMap((each) => (each.status === "rejected" ? [String(each.reason)] : []));
    expect(refused).toMatch(
      /This conversation is already being handed off (to `discord:ann\d+` \((pending|running)\)|just now)/,
    );
    const end = async () => (await asker.store.handoffs.find((done?.id ?? "") as HandoffId, 0))?.state;
    while ((await end()) !== "completed") await new Promise((resolve) => setImmediate(resolve));
    const moved = await asker.sessions.get(entry.sessionId);
    expect(`${THERE}:${moved?.origin.chatId}`).toBe(done?.target);
    expect(await asker.sessions.current(chat.key)).toBeNull();
  }
});

it("brings back what waits in the other gateway, and it is answered once", async () => {
  const [person = ""] = PEOPLE;
  const chat = asker.chat(person);
  await chat.ask("one");
  const { sessionId } = await chat.session();
  const moved = carrier.chat(person, {}, there);
  await chat.ask(`/handoff ${THERE}:${person}`);
  await until(() => moved.told.length === 2);
  await moved.begin("wait");
  await moved.ask("/queue two");
  await chat.ask("/resume");
  await moved.write("/steer now");
  await until(() => chat.told.some((text) => text.startsWith("two (")));
  await carrier.gateway.lane(moved.key).idle();
  expect(moved.told).toContain("waited now");
  expect(moved.told.some((text) => text.startsWith("two ("))).toBe(false);
  expect((await chat.session()).sessionId).toBe(sessionId);
  expect(await carrier.sessions.current(moved.key)).toBeNull();
  expect(await chat.transcript()).toContain("user: two");
});
