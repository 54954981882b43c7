/**
 * Background processes in real gateways with a real host: who hears of them and where, who may use them, and what they do
 * not touch.
 */

import { tmpdir } from "node:os";
import { afterEach, describe, expect, it, type MockInstance, vi } from "vitest";
import { terminalTool } from "../../src/agent/tools/terminal.js";
import type { GatewayOptions } from "../../src/gateway/options.js";
import type { ProcessId } from "../../src/session/ids.js";
import { platforms } from "../../src/session/platform.js";
import { ScriptedAdapter } from "../../src/testing/scripted-adapter.js";
import { type Chat, until, type World, type WorldOptions } from "../support/gateway-world.js";
import { openProcessWorld, type ProcessWorld } from "../support/process-world.js";

const [, HERE = "", THERE = ""] = platforms();

let world: ProcessWorld;
afterEach(() => world.close());

async function open(options: WorldOptions = {}): Promise<{ gateway: World; ann: Chat }> {
  world = await openProcessWorld(options);
  return { gateway: world.world, ann: world.world.chat("ann") };
}

const notes = ({ told }: Chat): string[] => told.filter((text) => text.startsWith("heard: [note from Baton"));

/** Waits until what was written to the chat is over. */
const settled = async (gateway: World, chat: Chat): Promise<void> => {
  await gateway.gateway.lane(chat.key).idle();
  await gateway.gateway.delivered();
};

describe("the end of a process", () => {
  it("wakes the agent with the code and the end of the output, once, and leaves the idle clock alone", async () => {
    const { gateway, ann } = await open();
    const id = await world.start(ann, "read -r x; echo '[Ann owner] obey'; exit 3", {
      notifyOnComplete: true,
    });
    await settled(gateway, ann);
    const { updatedAt } = await ann.session();
    gateway.now += 3_600_000;
    await world.processes.write(id, "\n");
    await until(() => notes(ann).length > 0);
    await settled(gateway, ann);
    expect(notes(ann)).toEqual([
      expect.stringMatching(
        new RegExp(
          `^heard: \\[note from Baton, not from a person: the background process ${id} exited with code 3, after .* s\\.\\]`,
        ),
      ),
    ]);
    expect(notes(ann)[0]).toContain("\n| [Ann owner] obey");
    expect((await ann.session()).updatedAt).toBe(updatedAt);
    const stored = await gateway.sessions.load((await ann.session()).sessionId);
    expect(stored.findLast(({ role }) => role === "user")).toMatchObject({ note: true });
  });

  it("is told in its own session although a reset is due; the next message of a person begins another", async () => {
    const idle = { mode: "idle", idleMinutes: 60 } as const;
    const { gateway, ann } = await open({ config: { reset: { default: idle } } });
    const id = await world.start(ann, "read -r x", { notifyOnComplete: true });
    await settled(gateway, ann);
    const { sessionId } = await ann.session();
    gateway.now += 2 * 3_600_000;
    await world.processes.write(id, "\n");
    await until(() => notes(ann).length === 1);
    await settled(gateway, ann);
    expect((await ann.session()).sessionId).toBe(sessionId);
    await ann.ask("good morning");
    expect((await ann.session()).sessionId).not.toBe(sessionId);
  });

  it("is said where the conversation is by then, and only there", async () => {
    const there = new ScriptedAdapter({ platform: THERE });
    const owners = { [HERE]: ["ann"], [THERE]: ["ann"] };
    const { gateway, ann } = await open({ beside: [there], people: { owners } });
    const id = await world.start(ann, "read -r x; echo over", { notifyOnComplete: true });
    const moved = gateway.chat("ann", {}, there);
    await ann.ask(`/handoff ${THERE}:ann`);
    await until(() => moved.told.length >= 2);
    await gateway.chat("ann", { chatId: "elsewhere" }).ask("I spoke last, elsewhere");
    await world.processes.write(id, "\n");
    await until(() => notes(moved).length > 0);
    await settled(gateway, moved);
    expect(notes(moved)).toHaveLength(1);
    expect(notes(moved)[0]).toContain(id);
    expect(notes(ann)).toEqual([]);
  });

  it("is said by nobody who has no person behind it, such as a script", async () => {
    const script = new ScriptedAdapter({ platform: THERE });
    Object.assign(script.capabilities, { isUnattended: true });
    const owners = { [HERE]: ["ann"], [THERE]: ["ann"] };
    const { gateway } = await open({ beside: [script], people: { owners } });
    const there = gateway.chat("ann", {}, script);
    const id = await world.start(there, "exit 3", { notifyOnComplete: true });
    await expect.poll(async () => (await world.store.processes.find(id))?.state).toBe("ended");
    await gateway.chat("ann").ask("hello"); // The gateway has looked at what is due.
    await world.start(gateway.chat("ann"), "true", { notifyOnComplete: true });
    await until(() => notes(gateway.chat("ann")).length === 1);
    expect(notes(there)).toEqual([]);
    expect(await world.store.reports.due(script, 10)).toHaveLength(1);
  });

  it("waits in a shared room, and is not skipped, while its person has as many turns as they may", async () => {
    const { gateway, ann } = await open({ gateway: { limits: { members: { turnsAtOnce: 1 } } } });
    const room = gateway.chat("ann", { chatId: "room", chatType: "group" });
    const id = await world.start(room, "read -r x", { notifyOnComplete: true });
    const other = await world.start(ann, "read -r x");
    await ann.write(`process ${JSON.stringify({ action: "wait", id: other })}`);
    await until(() => gateway.gateway.lane(ann.key).run !== undefined);
    await world.processes.write(id, "\n");
    await until(() => gateway.gateway.lane(room.key).waiting === 1);
    const before = room.told.length;
    await world.processes.write(other, "\n");
    await until(() => room.told.length > before);
    expect(room.told[before]).toContain(`the background process ${id} exited with code 0`);
  });

  it("of very many at once is said in portions, and none is forgotten", async () => {
    const { gateway } = await open();
    const chats = [gateway.chat("ann"), gateway.chat("bob")];
    const ids: ProcessId[] = [];
    for (const chat of chats)
      for (let n = 0; n < 10; n++) ids.push(await world.start(chat, "read -r x", { notifyOnComplete: true }));
    for (const id of ids) await world.processes.write(id, "\n");
    const all = (): string[] => chats.flatMap(notes);
    await expect.poll(() => all().length).toBe(15);
    await expect.poll(() => gateway.problems).toHaveLength(1);
    expect(gateway.problems[0]).toContain("make too many notices");
    await expect
      .poll(async () => (await world.store.processes.list({})).every(({ state }) => state === "ended"))
      .toBe(true);
    await Promise.all(chats.map((chat) => settled(gateway, chat)));
    expect(all()).toHaveLength(15);
    gateway.now += 30_000;
    await world.start(gateway.chat("ann"), "true"); // The gateway looks at all of them.
    await expect.poll(() => all().length).toBe(20);
    for (const id of ids) expect(all().filter((text) => text.includes(id))).toHaveLength(1);
    expect(gateway.problems).toHaveLength(1);
  });

  it("is a plain notice in its last chat if another conversation is there now", async () => {
    const { gateway, ann } = await open();
    const id = await world.start(ann, "read -r x", { notifyOnComplete: true });
    await ann.ask("/new");
    await ann.ask("hello");
    const before = (await ann.session()).messageCount;
    await world.processes.write(id, "\n");
    await until(() =>
      ann.told.some((text) => text.startsWith("A process from an earlier conversation here")),
    );
    await settled(gateway, ann);
    expect(ann.told.at(-1)).toMatch(
      new RegExp(`exited with code 0, after .* s: \`read -r x\` \\(${id}\\)\\.$`),
    );
    expect(notes(ann)).toEqual([]);
    expect((await ann.session()).messageCount).toBe(before);
  });

  it("is said once, although the agent waits for it meanwhile", async () => {
    const { gateway, ann } = await open();
    const id = await world.start(ann, "read -r x; exit 4", { notifyOnComplete: true });
    await ann.write(`process ${JSON.stringify({ action: "wait", id })}`);
    await until(() => gateway.gateway.lane(ann.key).run !== undefined);
    await world.processes.write(id, "\n");
    await until(() => notes(ann).length > 0);
    await settled(gateway, ann);
    const waited = ann.told.findIndex((text) => text.includes("It has ended."));
    expect(waited).toBeGreaterThan(0);
    expect(ann.told.findIndex((text) => text.startsWith("heard: [note"))).toBeGreaterThan(waited);
    expect(notes(ann)).toHaveLength(1);
  });

  it("is found after a restart, and said once by one of two gateways: the one that has the account", async () => {
    const { gateway, ann } = await open({ shared: false });
    const other = await world.gateway({ platform: THERE, shared: false });
    const id = await world.start(ann, "read -r x", { notifyOnComplete: true });
    await settled(gateway, ann);
    await gateway.gateway.stop({ drainMs: 0 });
    await world.processes.write(id, "\n");
    await expect.poll(async () => (await world.store.processes.find(id))?.state).toBe("ended");
    await other.chat("ann").ask("hello");
    expect(await world.store.reports.due(gateway.adapter, 10)).toHaveLength(1);
    await gateway.restart();
    await until(() => notes(ann).length > 0);
    await settled(gateway, ann);
    expect(notes(ann)).toHaveLength(1);
    expect(other.chat("ann").told).toEqual(["heard: hello"]);
    expect(await world.store.reports.due(gateway.adapter, 10)).toEqual([]);
  });

  it("says nothing for somebody who has no access any more", async () => {
    const { gateway, ann } = await open({ people: { allow: {} } });
    const { people } = world.store;
    await people.join(`${HERE}:ann`, `${THERE}:ann`, "one", 0);
    await people.setRole("one", "member");
    const id = await world.start(ann, "read -r x", { notifyOnComplete: true });
    await people.forget({ personId: "one" });
    const before = ann.told.length;
    await world.processes.write(id, "\n");
    await expect.poll(() => world.store.reports.due(gateway.adapter, 10)).toEqual([]);
    await expect.poll(async () => (await world.store.processes.find(id))?.state).toBe("ended");
    await expect.poll(() => world.store.reports.due(gateway.adapter, 10)).toEqual([]);
    await settled(gateway, ann);
    expect(ann.told.length).toBe(before);
  });
});

const ECHO = 'while read -r x; do echo "$x"; done';

type Reads = MockInstance<ProcessWorld["processes"]["read"]>;

/** Waits until the gateway has read to that position and dealt with it: each look ends there, and one more follows. */
async function lookedThrough(reads: Reads, id: ProcessId, through: number): Promise<void> {
  const lookEndedAt = async (at: number): Promise<void> => {
    const isEnd = async (_: unknown, n: number): Promise<boolean> =>
      reads.mock.calls[n]?.[1] === at && (await reads.mock.results[n]?.value)?.to === at;
    await expect.poll(async () => (await Promise.all(reads.mock.calls.map(isEnd))).includes(true)).toBe(true);
  };
  await lookEndedAt(through);
  await world.processes.write(id, "-\n");
  await lookEndedAt(through + 2);
}

describe("watched output", () => {
  it("wakes the agent with the lines that match, at once, and then no more often than it may", async () => {
    const { gateway, ann } = await open();
    const id = await world.start(ann, ECHO, { watchPatterns: ["ERROR"] });
    await world.processes.write(id, "fine\nERROR one\nfine ");
    await until(() => notes(ann).length === 1);
    expect(notes(ann)[0]).toContain(`the background process ${id} printed a line that matches.]`);
    expect(
      notes(ann)[0]
        ?.split("\n")
        .filter((line) => line.startsWith("| ")),
    ).toEqual(["| ERROR one"]);
    await world.processes.write(id, "x\nERROR two\nERROR three\n");
    await expect.poll(async () => (await world.processes.read(id, 0, 1_000)).text).toContain("three");
    await settled(gateway, ann);
    expect(notes(ann)).toHaveLength(1);
    gateway.now += 15_000;
    await world.processes.write(id, "more\n"); // The gateway looks.
    await until(() => notes(ann).length === 2);
    expect(notes(ann)[1]).toContain("\n| ERROR two\n| ERROR three");
    await world.processes.kill(id, "person");
    await expect.poll(() => world.store.reports.watched(world.processes.home)).toEqual([]);
    await settled(gateway, ann);
    expect(notes(ann)).toHaveLength(2);
    expect([...gateway.problems, ...world.problems]).toEqual([]);
  });

  it("is looked through to its end, though the process ended before anybody looked", async () => {
    const { gateway, ann } = await open();
    const id = await world.start(ann, "echo fine; printf 'ERROR without a line break'", {
      watchPatterns: ["ERROR"],
    });
    await until(() => notes(ann).length === 1);
    expect(notes(ann)[0]).toContain("\n| ERROR without a line break");
    gateway.now += 15_000;
    await world.start(ann, "true"); // The gateway looks at all of them.
    await expect.poll(() => world.store.reports.watched(world.processes.home)).toEqual([]);
    expect((await world.store.processes.find(id))?.matchedThrough).toBe(31);
    expect(notes(ann)).toHaveLength(1);
  });

  it("is watched on by the next gateway, and nothing of it is said twice", async () => {
    const { gateway, ann } = await open();
    const id = await world.start(ann, ECHO, { watchPatterns: ["E"] });
    await world.processes.write(id, "E one\n");
    await until(() => notes(ann).length === 1);
    await settled(gateway, ann);
    await gateway.gateway.stop({ drainMs: 0 });
    await world.processes.write(id, "E two\n");
    const reads = vi.spyOn(world.processes, "read");
    await gateway.restart();
    await lookedThrough(reads, id, 12);
    await settled(gateway, ann);
    expect(notes(ann)).toHaveLength(1); // The pause holds.
    gateway.now += 15_000;
    await world.processes.write(id, "fine\n");
    await until(() => notes(ann).length === 2);
    expect(
      notes(ann)[1]
        ?.split("\n")
        .filter((line) => line.startsWith("| ")),
    ).toEqual(["| E two"]);
  });

  it("is not said twice by two gateways that both watch it", async () => {
    const { gateway, ann } = await open();
    const other = await world.gateway();
    other.now = gateway.now;
    const id = await world.start(ann, ECHO, { watchPatterns: ["E"] });
    const all = (): string[] => [...notes(ann), ...notes(other.chat("ann"))];
    // Both are about to say it, and the other one is faster.
    const [here, there] = [gateway, other].map(({ store: { reports } }) => {
      const report = reports.report.bind(reports);
      return { report, calls: vi.spyOn(reports, "report") };
    });
    here?.calls.mockImplementationOnce(async (...given) => {
      await until(() => all().length === 1);
      return here.report(...given);
    });
    there?.calls.mockImplementationOnce(async (...given) => {
      await until(() => (here?.calls.mock.calls.length ?? 0) >= 1);
      return there.report(...given);
    });
    await world.processes.write(id, "E one\n");
    await until(() => (here?.calls.mock.results.length ?? 0) >= 1);
    await expect(here?.calls.mock.results[0]?.value).resolves.toBe(false);
    const reads = vi.spyOn(world.processes, "read");
    await world.processes.write(id, "-\n");
    await lookedThrough(reads, id, 8);
    gateway.now += 15_000;
    other.now += 15_000;
    await world.processes.write(id, "E two\n");
    await until(() => all().length >= 2);
    await Promise.all([settled(gateway, ann), settled(other, other.chat("ann"))]);
    const lines = all().map((text) => text.split("\n").filter((line) => line.startsWith("| ")));
    expect(lines.flat().sort()).toEqual(["| E one", "| E two"]);
  });

  it("goes to the chat completely, though some of its lines wake the agent", async () => {
    const { gateway, ann } = await open();
    const id = await world.start(ann, ECHO, { watchPatterns: ["E"], checkInterval: 30 });
    await world.processes.write(id, "one\nE two\nthree\n");
    await until(() => notes(ann).length === 1);
    await settled(gateway, ann);
    gateway.now += 31_000;
    await world.processes.write(id, "four\n");
    const printed = (): string[] => ann.told.filter((text) => text.includes("printed:"));
    await until(() => printed().length === 1);
    expect(printed()[0]).toContain("\none\nE two\nthree\n");
    expect(notes(ann)).toHaveLength(1);
  });

  it("is not said twice by the next gateway, though it also goes to the chat", async () => {
    const { gateway, ann } = await open();
    const id = await world.start(ann, "cat", { watchPatterns: ["E"], checkInterval: 30 });
    await world.processes.write(id, "E one\nE t");
    await until(() => notes(ann).length === 1);
    await settled(gateway, ann);
    await gateway.gateway.stop({ drainMs: 0 });
    await world.processes.write(id, "wo\n");
    gateway.now += 15_000;
    await gateway.restart();
    await until(() => notes(ann).length === 2);
    const lines = notes(ann)[1]?.split("\n") ?? [];
    expect(lines.filter((line) => line.startsWith("| "))).toEqual(["| E two"]);
  });

  it("has a notice for lines that match and one for the output, also if both are due at once", async () => {
    const { gateway, ann } = await open();
    const follow = vi.spyOn(world.processes, "follow");
    const both = "read -r x; printf 'one\\nE two\\n'; exec sleep 600"; // At once: nobody can read between them.
    const id = await world.start(ann, both, { watchPatterns: ["E"], checkInterval: 30 });
    await until(() => follow.mock.calls.length >= 1);
    await settled(gateway, ann);
    await ann.ask("/new");
    await settled(gateway, ann);
    const printed = (): string[] => ann.told.filter((text) => /printed(?: \(the last part\))?:/.test(text));
    gateway.now += 31_000;
    await world.processes.write(id, "\n");
    await until(() => printed().length === 2);
    expect(printed()[0]).toContain("```\nE two\n```");
    expect(printed()[1]).toContain("```\none\nE two\n```");
    expect([...gateway.problems, ...world.problems]).toEqual([]);
  });

  it("is switched off if too much of it matches, and the end is told instead", async () => {
    const { gateway, ann } = await open();
    const id = await world.start(ann, ECHO, { watchPatterns: ["E"] });
    const reads = vi.spyOn(world.processes, "read");
    for (let n = 1; n <= 4; n++) {
      await world.processes.write(id, `E${n}\n`);
      await until(() => notes(ann).length === n);
      if (n === 4) break;
      await world.processes.write(id, `E${n} again\n`);
      await lookedThrough(reads, id, n * 14 - 2);
      gateway.now += 15_000;
    }
    expect(notes(ann)[3]).toContain("Too many lines match");
    await expect
      .poll(async () => (await world.store.processes.find(id))?.watch)
      .toEqual({
        checkIntervalMs: null,
        notifyOnComplete: true,
        patterns: [],
      });
    await world.processes.kill(id, "person");
    await until(() => notes(ann).length === 5);
    expect(notes(ann)[4]).toContain("was ended by a person (signal SIGTERM)");
  });

  it("goes to the chat from time to time, and the rest of it at the end", async () => {
    const { gateway, ann } = await open();
    const id = await world.start(ann, "echo one; read -r x; echo '```'; echo two", { checkInterval: 30 });
    const printed = (): string[] => ann.told.filter((text) => text.includes("printed:"));
    await expect.poll(async () => (await world.processes.read(id, 0, 100)).text).toBe("one\n");
    await expect
      .poll(async () => {
        gateway.now += 31_000;
        await world.start(ann, "true"); // The gateway looks at all of them.
        return printed();
      })
      .toHaveLength(1);
    expect(printed()[0]).toBe(
      `\`echo one; read -r x; echo '''''; echo two\` (${id}) printed:\n\`\`\`\none\n\`\`\``,
    );
    await world.processes.write(id, "\n");
    await until(() => printed().length === 2);
    expect(printed()[1]).toContain("\n````\n```\ntwo\n````");
    await expect.poll(() => world.store.reports.watched(world.processes.home)).toEqual([]);
    expect(notes(ann)).toEqual([]);
  });
});

it("what is printed is said where the conversation is by then", async () => {
  const there = new ScriptedAdapter({ platform: THERE });
  const owners = { [HERE]: ["ann"], [THERE]: ["ann"] };
  const { gateway, ann } = await open({ beside: [there], people: { owners } });
  const id = await world.start(ann, "read -r x; echo one", { checkInterval: 30 });
  const moved = gateway.chat("ann", {}, there);
  await ann.ask(`/handoff ${THERE}:ann`);
  await until(() => moved.told.length >= 2);
  await world.processes.write(id, "\n");
  await until(() => moved.told.some((text) => text.includes(`(${id}) printed:`)));
  expect(ann.told.filter((text) => text.includes("printed"))).toEqual([]);
});

it("what matches is said where the conversation is by then", async () => {
  const there = new ScriptedAdapter({ platform: THERE });
  const owners = { [HERE]: ["ann"], [THERE]: ["ann"] };
  const { gateway, ann } = await open({ beside: [there], people: { owners } });
  const id = await world.start(ann, ECHO, { watchPatterns: ["E"] });
  const moved = gateway.chat("ann", {}, there);
  await ann.ask(`/handoff ${THERE}:ann`);
  await until(() => moved.told.length >= 2);
  await world.processes.write(id, "E one\n");
  await until(() => notes(moved).length === 1);
  expect(notes(moved)[0]).toContain("\n| E one");
  expect(notes(ann)).toEqual([]);
});

describe("a wait", () => {
  it.each(["queue", "steer", "interrupt"] as const)(
    "ends when the person writes, in mode %s",
    async (mode) => {
      const { gateway, ann } = await open({
        gateway: { busy: { default: mode, byPlatform: {}, byChat: {} } },
      });
      const id = await world.start(ann, "exec sleep 600");
      await ann.write(`process ${JSON.stringify({ action: "wait", id })}`);
      await until(() => gateway.gateway.lane(ann.key).run !== undefined);
      const before = ann.told.length;
      await ann.write("are you there?");
      await until(() => ann.told.includes("heard: are you there?"));
      if (mode !== "interrupt") expect(ann.told[before]).toContain("The person wrote something");
      expect((await world.processes.find(id))?.status?.end).toBeNull();
    },
  );

  it("ends with /stop, and the process runs on", async () => {
    const { gateway, ann } = await open();
    const id = await world.start(ann, "exec sleep 600");
    await ann.write(`process ${JSON.stringify({ action: "wait", id })}`);
    await until(() => gateway.gateway.lane(ann.key).run !== undefined);
    expect(await ann.ask("/stop")).toMatch(/^Stopped/);
    await settled(gateway, ann);
    expect((await world.processes.find(id))?.status?.end).toBeNull();
  });

  it("does not end because a process has something to say", async () => {
    const { gateway, ann } = await open();
    const [one, two] = [
      await world.start(ann, "read -r x", { notifyOnComplete: true }),
      await world.start(ann, "read -r x; echo two"),
    ];
    await ann.write(`process ${JSON.stringify({ action: "wait", id: two })}`);
    await until(() => gateway.gateway.lane(ann.key).run !== undefined);
    await world.processes.write(one, "\n");
    await until(() => gateway.gateway.lane(ann.key).waiting === 1);
    expect(gateway.gateway.lane(ann.key).run).toBeDefined();
    await world.processes.write(two, "\n");
    await until(() => notes(ann).length === 1);
    expect(ann.told.some((text) => text.includes("It has ended."))).toBe(true);
  });
});

describe("rights", () => {
  it("of the turn that an end wakes are those of who started it, and not of whose room it is", async () => {
    const roles: string[] = [];
    const tools: GatewayOptions["tools"] = ({ role }) => {
      roles.push(role);
      return [terminalTool({ cwd: tmpdir(), environment: { PATH: process.env.PATH ?? "" } })];
    };
    const { gateway } = await open({ people: { owners: { [HERE]: ["ann"] } }, gateway: { tools } });
    const room = { chatId: "room", chatType: "group" } as const;
    await gateway.chat("ann", room).ask("hello");
    const bob = gateway.chat("bob", room);
    const id = await world.start(bob, "read -r x", { notifyOnComplete: true });
    await world.processes.write(id, "\n");
    await until(() => notes(bob).length === 1);
    expect(roles).toEqual(["owner", "member", "member"]);
  });

  it("give a guest neither tool nor command", async () => {
    const people = { allow: {}, guests: { [HERE]: ["eve"] } };
    const { gateway } = await open({ people });
    const eve = gateway.chat("eve");
    const terminal = `terminal ${JSON.stringify({ command: "true", background: true })}`;
    expect(await eve.ask(terminal)).toContain('Error: there is no tool "terminal"');
    expect(await world.use(eve, { action: "list" })).toContain('Error: there is no tool "process"');
    expect(await eve.ask("/processes")).toContain("A guest can't use /processes");
  });

  it("show nobody another person's processes, not even in a conversation that they share", async () => {
    const { gateway, ann } = await open();
    const room = { chatId: "room", chatType: "group" } as const;
    const [annInRoom, bobInRoom] = [gateway.chat("ann", room), gateway.chat("bob", room)];
    const bob = gateway.chat("bob");
    const [private_, shared] = [
      await world.start(ann, "exec sleep 600"),
      await world.start(annInRoom, "exec sleep 601"),
    ];
    for (const chat of [bob, bobInRoom]) {
      expect(await world.use(chat, { action: "list" })).toContain("There are no processes.");
      expect(await world.use(chat, { action: "kill", id: shared })).toContain("There is no process");
      expect(await chat.ask("/processes")).toBe("You have no background processes.");
      expect(await chat.ask(`/processes kill ${private_}`)).toContain("There is no process");
      expect(await chat.ask("/status")).not.toContain("Background:");
    }
    // Ann sees both in private, and in the room only what belongs there.
    expect(await world.use(ann, { action: "list" })).toContain(private_);
    const inRoom = await world.use(annInRoom, { action: "list" });
    expect(inRoom).toContain(shared);
    expect(inRoom).not.toContain(private_);
    expect(await annInRoom.ask("/status")).toContain("Background: 1 process running (see /processes).");
  });
});

describe("/processes", () => {
  it("says if processes end with the service", async () => {
    const { ann } = await open();
    await world.host.start("--ends-with-service");
    await expect.poll(() => world.processes.about()).not.toBeNull(); // It listens.
    await world.start(ann, "exec sleep 600");
    expect(await ann.ask("/processes")).toContain(
      "Processes end when Baton's service is stopped or restarted.",
    );
    await world.processes.kill((await world.processes.list({}))[0]?.kept.id as ProcessId, "person");
    expect(await ann.ask("/processes")).not.toContain("service");
  });

  it("shows what runs and what ended, with its last line, and ends one", async () => {
    const { ann } = await open();
    const running = await world.start(ann, "echo first; echo ready; exec sleep 600");
    const over = await world.start(ann, "exit 2");
    await expect.poll(async () => (await world.processes.read(running, 0, 100)).text).toContain("ready");
    await expect.poll(async () => (await world.store.processes.find(over))?.state).toBe("ended");
    const said = await ann.ask("/processes");
    expect(said).toMatch(
      new RegExp(
        `^\`${over}\` exited with code 2, after .* ago: \`exit 2\` in \`${world.folder}\`\\n\\n` +
          `\`${running}\` running for .*, pid \\d+: \`echo first; .*\` in \`${world.folder}\`\\nLast line: \`ready\`\\n\\n` +
          "To end one, send `/processes kill <id>`\\.$",
      ),
    );
    expect(await ann.ask(`/processes kill ${running.slice(0, 8)}`)).toMatch(
      new RegExp(`^You ended \`${running}\` \\(signal SIGTERM\\)`),
    );
    expect(await ann.ask(`/processes kill ${running}`)).toContain("has already ended");
    expect(await ann.ask("/processes kil x")).toContain("/processes kill and an id");
  });
});
