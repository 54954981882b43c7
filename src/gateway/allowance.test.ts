/** Limits by person and role, at a real gateway over a real store. */
import { mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { until, World, type WorldOptions } from "../../test/support/gateway-world.js";
import type { RemoteFile } from "../adapter/adapter.js";
import { AgentError, type AgentEvent, type TurnInput } from "../agent/agent.js";
import type { WrittenLimits } from "../config/role-defaults.js";
import { asSessionId } from "../session/ids.js";

let world: World;
let folder: string | undefined;
afterEach(async () => {
  await world.close();
  if (folder) await rm(folder, { recursive: true, force: true });
});

const DAY_MS = 24 * 60 * 60 * 1_000;

async function open(guests: WrittenLimits, more: WorldOptions = {}): Promise<void> {
  const people = { allow: {}, owners: { telegram: ["boss"] }, guests: { telegram: ["ann", "bob"] } };
  world = await World.open({ people, ...more, gateway: { limits: { guests }, ...more.gateway } });
}

/** Asks before each of its calls, as models do, and says how many it made. */
function caller(callsPerTurn: number) {
  const agent = {
    name: "caller",
    calls: 0,
    async *run({ beforeCall }: TurnInput): AsyncIterable<AgentEvent> {
      for (let n = 0; n < callsPerTurn; n++) {
        await beforeCall?.();
        agent.calls += 1;
      }
      yield { kind: "message", message: { role: "assistant", content: "done" }, results: [] };
      yield { kind: "done", stopped: false };
    },
  };
  return agent;
}

it("takes so many messages of a guest in a minute, says so once, and takes their commands still", async () => {
  await open({ messagesPerMinute: 5 });
  const ann = world.chat("ann");
  for (let n = 0; n < 1_000; n++) await ann.write(`message ${n}`);
  const told = () => ann.told.filter((text) => text.startsWith("You can send 5 messages a minute here"));
  await world.adapter.until(() => told().length > 0);
  await ann.write("/whoami"); // Answers to the first messages may come before its own.
  await world.adapter.until(() =>
    ann.told.some((text) => /Role: guest[\s\S]*5 messages a minute/.test(text)),
  );
  const said = (await ann.transcript()).filter((line) => line.startsWith("user:"));
  expect(said.length).toBeLessThanOrEqual(5);
  expect(told()).toHaveLength(1);
  expect(await world.chat("bob").ask("hello")).toBe("hello (1)");
  for (let n = 0; n < 10; n++) await world.chat("boss").write(`message ${n}`);
  await world.adapter.until(() => world.chat("boss").told.some((text) => text.startsWith("message 9")));
});

it("counts a command that makes the agent answer as a message", async () => {
  await open({ messagesPerMinute: 3 });
  const ann = world.chat("ann");
  expect(await ann.ask("one")).toBe("one (1)");
  expect(await ann.ask("/queue two")).toBe("two (3)");
  expect(await ann.ask("/retry")).toContain("Trying again");
  await world.adapter.until(() => ann.told.length === 4);
  for (const text of ["/queue four", "/RETRY", "/steer four", "four", "/handoff telegram:ann"])
    await ann.write(text);
  expect(await ann.ask("/whoami")).toContain("3 messages a minute");
  const said = (await ann.transcript()).filter((line) => line.startsWith("user:"));
  expect(said).toEqual(["user: one", "user: two"]);
  expect(ann.told.filter((text) => text.startsWith("You can send 3 messages a minute here"))).toHaveLength(1);
});

it("makes so many model calls a day for a guest, also within one turn and over a restart, and then says so", async () => {
  const agent = caller(3);
  await open({ modelCallsPerDay: 7, messagesPerMinute: "none" }, { gateway: { agent } });
  const ann = world.chat("ann");
  expect(await ann.ask("one")).toBe("done");
  expect(await ann.ask("two")).toBe("done");
  await world.restart();
  expect(await ann.ask("three")).toMatch(
    /^You have used all 7 model calls of today\. .* at midnight UTC, in 12 h\./,
  );
  for (let n = 0; n < 20; n++) await ann.ask(`again ${n}`);
  expect(agent.calls).toBe(7);
  expect(await ann.ask("/whoami")).toContain("7 of 7 model calls used today");
  expect(await world.chat("bob").ask("one")).toBe("done");
  for (let n = 0; n < 5; n++) expect(await world.chat("boss").ask(`${n}`)).toBe("done");
  world.now += DAY_MS;
  expect(await ann.ask("tomorrow")).toBe("done");
});

it("counts the identities of one person together", async () => {
  const agent = caller(1);
  await open({ modelCallsPerDay: 4, messagesPerMinute: "none" }, { gateway: { agent } });
  await world.store.people.join("telegram:ann", "telegram:bob", "p_1", world.now);
  for (const user of ["ann", "bob", "ann", "bob", "ann", "bob"]) await world.chat(user).ask("hi");
  expect(agent.calls).toBe(4);
});

it("runs so many turns of a guest at once, and the others when those have ended", async () => {
  await open({ turnsAtOnce: 1 });
  const here = world.chat("ann", { chatId: "here", chatType: "group" });
  const there = world.chat("ann");
  await here.begin("wait");
  await there.write("wait");
  const bob = world.chat("bob");
  expect(await bob.ask("hello")).toBe("hello (1)");
  expect(world.agent.begun).toBe(1);
  await here.write("/stop");
  await until(() => world.agent.begun === 2);
  await there.write("/stop");
});

it("takes so many bytes of a guest's files a day, and says why it takes no more", async () => {
  folder = await mkdtemp(join(tmpdir(), "baton-limits-"));
  await open({ mediaMegabytesPerDay: 3 }, { mediaFolder: folder });
  const MB = 1024 * 1024;
  const file: RemoteFile = {
    name: "big.bin",
    mediaType: "application/octet-stream",
    read: async (most) => {
      if (most < MB) throw new Error("too large");
      return new Uint8Array(MB);
    },
  };
  const ann = world.chat("ann");
  const write = (text: string) =>
    world.adapter.write({ ...ann.source, userId: "ann" }, text, { files: [file, file] });
  for (const text of ["one", "two", "three"]) {
    const before = ann.told.length;
    await write(text);
    await ann.next(before);
  }
  const sizes = await Promise.all(
    (await readdir(folder)).map(async (name) => (await stat(join(folder ?? "", name))).size),
  );
  expect(sizes).toEqual([MB, MB, MB]);
  const said = (await ann.transcript()).join("\n");
  expect(said).toContain(
    "[not taken: big.bin: you can send 3 MB of files a day, and can send more at midnight UTC, in 12 h]",
  );
  expect(await ann.ask("/whoami")).toContain("3.0 of 3 MB of files used today");
});

it("gives room back that a file did not use, before the next file of that person is fetched", async () => {
  await open({ mediaMegabytesPerDay: 3 });
  const [who, other] = await Promise.all(
    ["ann", "bob"].map((user) => world.gateway.people.access(world.chat(user).source)),
  );
  if (!who?.allowed || !other?.allowed) throw new Error("Both are let in.");
  const { allowance } = world.gateway;
  const first = await allowance.media(who, 20 * 1024 * 1024);
  expect(first.bytes).toBe(3 * 1024 * 1024);
  const second = allowance.media(who, 20 * 1024 * 1024);
  await allowance.media(other, 1); // Asked for after it, and granted: the second one waits for the first.
  await first.settle(1_000);
  expect((await second).bytes).toBe(3 * 1024 * 1024 - 1_000);
});

it("charges a message that comes again once", async () => {
  folder = await mkdtemp(join(tmpdir(), "baton-limits-"));
  await open({ mediaMegabytesPerDay: 3 }, { mediaFolder: folder });
  const file: RemoteFile = { mediaType: "text/plain", read: async () => new Uint8Array(1024 * 1024) };
  const ann = world.chat("ann");
  for (let n = 0; n < 5; n++)
    await world.adapter.write({ ...ann.source, userId: "ann" }, "look", {
      files: [file],
      messageId: "the same",
    });
  await ann.next(0);
  const day = new Date(world.now).toISOString().slice(0, 10);
  expect(await world.store.spending.of(day)).toMatchObject([{ mediaBytes: 1024 * 1024 }]);
});

it("counts what /branch copies with the files of a day, and copies no more than that", async () => {
  await open({ mediaMegabytesPerDay: 1 });
  const sizeOf = async (user: string) => {
    const chat = world.chat(user);
    await chat.ask("hello");
    const content = "x".repeat(300_000);
    await world.sessions.record((await chat.session()).sessionId, [{ role: "assistant", content }]);
    const said: string[] = [];
    for (let n = 0; n < 5; n++) said.push(await chat.ask("/branch"));
    return said;
  };
  const said = await sizeOf("ann");
  expect(said.slice(0, 3).every((text) => text.startsWith("You are now in the branch"))).toBe(true);
  expect(said.slice(3)).toEqual(
    Array(2).fill(
      expect.stringMatching(/^This conversation is too long to copy today: you can send 1 MB of files a day/),
    ),
  );
  expect(await world.chat("ann").ask("/whoami")).toContain("0.9 of 1 MB of files used today");
  expect((await sizeOf("boss")).every((text) => text.startsWith("You are now in the branch"))).toBe(true);
});

it("copies a conversation while a file of that person is fetched", async () => {
  await open({ mediaMegabytesPerDay: 1 });
  const who = await world.gateway.people.access(world.chat("ann").source);
  if (!who.allowed) throw new Error("Ann is let in.");
  const fetched = await world.gateway.allowance.media(who, 100_000);
  expect(await world.gateway.allowance.copy(who, 900_000)).toBeNull();
  expect(await world.gateway.allowance.copy(who, 900_000)).toContain("too long to copy today");
  await fetched.settle(0);
});

it("keeps nobody in a group waiting for one who has as many turns as they may", async () => {
  await open({ turnsAtOnce: 1 });
  const room = { chatId: "room", chatType: "group" } as const;
  await world.chat("ann").begin("wait");
  const ann = world.chat("ann", room);
  expect(await ann.ask("me too")).toMatch(
    /^You already have as many requests running as you are allowed, so I skipped this one\./,
  );
  expect(await world.chat("boss", room).ask("urgent")).toMatch(/^urgent|\] urgent/);
  await world.chat("ann").write("/stop");
});

it("never grants more than the limit, however many ask at once", async () => {
  await open({ modelCallsPerDay: 10 });
  const who = await world.gateway.people.access(world.chat("ann").source);
  if (!who.allowed) throw new Error(who.reason);
  const { allowance } = world.gateway;
  const session = asSessionId("s1");
  const calls = await Promise.allSettled(Array.from({ length: 50 }, () => allowance.modelCall(who, session)));
  expect(calls.filter(({ status }) => status === "fulfilled")).toHaveLength(10);
  for (const call of calls) if (call.status === "rejected") expect(call.reason).toBeInstanceOf(AgentError);
});
