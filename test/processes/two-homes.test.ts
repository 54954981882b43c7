/**
 * Two gateways with a store in common and a home folder each. Only one of them can read what a process prints; the conversation
 * is in a chat of the other one.
 */
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { platforms } from "../../src/session/platform.js";
import { type Chat, until, type World } from "../support/gateway-world.js";
import { openProcessWorld, type ProcessWorld } from "../support/process-world.js";

const [, HERE = "", THERE = ""] = platforms();
const ECHO = 'while read -r x; do echo "$x"; done';

let world: ProcessWorld;
afterEach(() => world.close());

/** Ann talks to the one gateway; the other one has the chat that she moves to. */
async function open(): Promise<{ ann: Chat; other: World; moved: Chat }> {
  const common = {
    shared: false,
    people: { owners: { [HERE]: ["ann"], [THERE]: ["ann"] } },
    gateway: { leaseMs: 200 }, // It looks that often for what others left to it.
  };
  world = await openProcessWorld(common);
  const other = await world.gateway({ ...common, platform: THERE }, join(world.folder, "another"));
  other.now = world.world.now;
  return { ann: world.world.chat("ann"), other, moved: other.chat("ann") };
}

const handOff = async (ann: Chat, moved: Chat): Promise<void> => {
  await ann.ask(`/handoff ${THERE}:ann`);
  await until(() => moved.told.length >= 2); // The notice, and the first answer.
};
/** Ann's gateway knows by now where the conversation is, and who has its chat. */
const hasLooked = async (): Promise<void> => {
  const looks = vi.spyOn(world.store.reports, "watched");
  await until(() => looks.mock.calls.length > 2);
  looks.mockRestore();
};
const ofProcess = ({ told }: Chat, id: string): string[] => told.filter((text) => text.includes(id));

describe("what a process prints, if another home's gateway has the chat", () => {
  it("wakes the agent there", async () => {
    const { ann, moved } = await open();
    const id = await world.start(ann, ECHO, { watchPatterns: ["E"] });
    const before = ann.told.length;
    await handOff(ann, moved);
    await world.processes.write(id, "E one\n");
    await until(() => ofProcess(moved, id).length === 1);
    expect(ofProcess(moved, id)[0]).toContain("\n| E one");
    expect(ofProcess({ told: ann.told.slice(before) } as Chat, id)).toEqual([]);
  });

  it("goes to that chat from time to time", async () => {
    const { ann, other, moved } = await open();
    const id = await world.start(ann, "echo one; read -r x; echo two", { checkInterval: 30 });
    await handOff(ann, moved);
    await hasLooked();
    other.now += 31_000;
    const leased = async () => (await world.store.accounts.lease(other.adapter, other.now))?.until;
    await expect.poll(leased).toBeGreaterThan(other.now);
    world.world.now = other.now;
    await until(() => ofProcess(moved, id).length === 1);
    expect(ofProcess(moved, id)[0]).toContain("printed:\n```\none\n```");
    await world.processes.write(id, "\n");
    await until(() => ofProcess(moved, id).length === 2);
    expect(ofProcess(moved, id)[1]).toContain("\ntwo\n");
  });

  it("waits while no gateway has the account", async () => {
    const { ann, other, moved } = await open();
    const id = await world.start(ann, ECHO, { watchPatterns: ["E"] });
    await handOff(ann, moved);
    await other.gateway.stop({ drainMs: 0 });
    await world.processes.write(id, "E one\n");
    await expect.poll(async () => (await world.processes.read(id, 0, 100)).text).toBe("E one\n");
    await hasLooked();
    expect(await world.store.inbox.waiting(other.adapter)).toEqual([]);
    await other.restart();
    await until(() => ofProcess(moved, id).length === 1);
    expect(ofProcess(moved, id)[0]).toContain("\n| E one");
  });
});
