/** What was typed for one session, and waits while a command of its own terminal gives the lane another one. */
import { afterEach, beforeEach, expect, it } from "vitest";
import { type Chat, until, World } from "../../../test/support/gateway-world.js";
import type { SessionId } from "../../session/ids.js";

let world: World;
let ann: Chat;
let first: SessionId;

beforeEach(async () => {
  const busy = { default: "queue" as const, byPlatform: {}, byChat: {} };
  world = await World.open({ gateway: { busy } });
  ann = world.chat("ann");
  await ann.ask("hello");
  first = (await ann.session()).sessionId;
  await ann.begin("wait");
});
afterEach(() => world.close());

const type = (text: string, session: SessionId) =>
  world.adapter.write({ ...ann.source, userId: "ann" }, text, { session });
const isTold = (text: string) => until(() => ann.told.includes(text));
const LEFT = /no longer in this terminal/;

it("is answered in the session of one's own /new, as that says", async () => {
  await type("later", first);
  expect(await ann.ask("/new")).toContain("1 waiting message will be answered in it.");
  await isTold("later (1)");
  expect((await ann.session()).sessionId).not.toBe(first);
});

it("is answered after two of one's own, too", async () => {
  await type("later", first);
  const held = world.gateway.lane(ann.key).hold(async () => {
    await ann.ask("/new");
    await ann.ask("/new");
  });
  await held;
  await isTold("later (1)");
});

it("is answered in the session of one's own /resume", async () => {
  await ann.ask("/new Other");
  await ann.ask("in the other");
  const other = (await ann.session()).sessionId;
  await ann.begin("wait");
  await type("later", other);
  await ann.ask(`/resume ${first}`);
  await isTold("later (5)");
  expect((await ann.session()).sessionId).toBe(first);
});

it("is answered in one's own /branch", async () => {
  await type("later", first);
  await ann.ask("/branch");
  await isTold("later (5)");
  expect((await ann.session()).sessionId).not.toBe(first);
});

it("is not answered where somebody else gave the lane another session", async () => {
  await type("later", first);
  await world.sessions.getOrCreate(ann.source, { forceNew: true, holder: "somebody else" });
  world.gateway.lane(ann.key).stop("stopped");
  await until(() => ann.told.some((text) => LEFT.test(text)));
  expect(ann.told.some((text) => text.startsWith("later"))).toBe(false);
});
