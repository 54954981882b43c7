/** A chat whose session a script has borrowed: what is written there is answered in that session, once it is back. */
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { endedHolder } from "../../../test/support/ended-holder.js";
import { type Chat, until, World } from "../../../test/support/gateway-world.js";
import type { SessionId } from "../../session/ids.js";
import { localSource } from "../../session/source.js";
import { processHolder } from "../../util/holder.js";

const LEASE_MS = 60_000;
const ELSEWHERE = endedHolder({ place: "elsewhere/1" });

let world: World;
let ann: Chat;
let sessionId: SessionId;

beforeEach(async () => {
  world = await World.open();
  ann = world.chat("ann");
  await ann.ask("first");
  ({ sessionId } = await ann.session());
});
afterEach(() => world.close());

/** As `baton --session` borrows it. */
async function lend(holder: string): Promise<void> {
  const script = { ...localSource(), chatId: "script-1" };
  const lane = { key: world.sessions.laneOf(script).key, isScript: true, backTo: ann.key };
  await world.store.terminals.enter(lane, { holder, leaseMs: LEASE_MS }, world.now);
  await world.sessions.switchTo(script, sessionId);
}

/** Writes, and waits until the gateway has found twice that it must wait. */
async function writeInVain(text: string): Promise<void> {
  const begin = vi.spyOn(world.store.turns, "begin");
  await ann.write(text);
  await until(() => begin.mock.settledResults.filter(({ value }) => value?.kind === "lent").length >= 2);
  begin.mockRestore();
  expect(await world.sessions.current(ann.key)).toBeNull();
}

it("waits until the script gives it back", async () => {
  const holder = processHolder();
  await lend(holder);
  await writeInVain("second");
  await world.store.terminals.leave(holder, world.now);
  expect(await ann.next(1)).toBe("second (3)");
  expect((await ann.session()).sessionId).toBe(sessionId);
});

it("gets it back at once from a script that was killed", async () => {
  await lend(endedHolder());
  expect(await ann.ask("second")).toBe("second (3)");
  expect((await ann.session()).sessionId).toBe(sessionId);
});

it("gets it back from a script that nobody can reach when its lease has run out", async () => {
  await lend(ELSEWHERE);
  await writeInVain("second");
  world.now += LEASE_MS;
  expect(await ann.next(1)).toBe("second (3)");
  expect((await ann.session()).sessionId).toBe(sessionId);
});

it("answers after a restart what waited before it", async () => {
  await lend(endedHolder());
  const tidied = vi.spyOn(world.store.terminals, "leave").mockRejectedValue(new Error("The disk is full."));
  await ann.write("second");
  await until(() => tidied.mock.calls.length > 0);
  tidied.mockRestore();
  await world.restart();
  await until(() => ann.told.includes("second (3)"));
});

it("begins another one if its person wants that", async () => {
  const holder = processHolder();
  await lend(holder);
  await ann.ask("/new");
  expect(await ann.ask("another")).toBe("another (1)");
  await world.store.terminals.leave(holder, world.now);
  expect(await ann.ask("goes on")).toBe("goes on (3)");
  expect(await world.sessions.get(sessionId)).toMatchObject({ endReason: "switched" });
});
