import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Chat, until, World } from "../../../test/support/gateway-world.js";
import type { InboxId } from "../../session/ids.js";
import type { Message } from "../../session/transcript.js";

let world: World;
let ann: Chat;
beforeEach(async () => {
  world = await World.open();
  ann = world.chat("ann");
});
afterEach(() => world.close());

describe("/undo", () => {
  it("takes back the last message and its answer, and keeps them", async () => {
    await ann.ask("one");
    await ann.ask("two");
    expect(await ann.ask("/undo")).toBe(
      'Taken back, from "two" on: 2 messages. They are saved, but the agent no longer sees them.',
    );
    expect(await ann.transcript()).toEqual(["user: one", "assistant: one (1)"]);
    expect(await ann.whole()).toEqual([
      "user: one",
      "assistant: one (1)",
      "(user: two)",
      "(assistant: two (3))",
    ]);
    expect(await ann.ask("three")).toBe("three (3)");
  });

  it("takes back several, and no more than there are", async () => {
    for (const text of ["one", "two", "three"]) await ann.ask(text);
    expect(await ann.ask("/undo 4")).toBe("There are only 3 messages to take back.");
    expect(await ann.transcript()).toHaveLength(6);
    expect(await ann.ask("/undo 3")).toMatch(/^Taken back, from "one" on: 6 messages/);
    expect(await ann.transcript()).toEqual([]);
    expect(await ann.whole()).toHaveLength(6);
    expect(await ann.ask("/undo")).toBe("There is nothing to take back.");
    expect(await ann.ask("anew")).toBe("anew (1)");
  });

  it.each(["0", "-1", "two", "1.5", "1 2"])("does not guess what %s means", async (words) => {
    await ann.ask("one");
    expect(await ann.ask(`/undo ${words}`)).toMatch(/^Say how many/);
    expect(await ann.transcript()).toHaveLength(2);
  });

  it("acts twice where it is written twice, however fast", async () => {
    for (const text of ["one", "two", "three"]) await ann.ask(text);
    await Promise.all([ann.write("/undo"), ann.write("/undo")]);
    await world.adapter.until(() => ann.told.length === 5);
    expect(await ann.transcript()).toEqual(["user: one", "assistant: one (1)"]);
    expect(ann.told.slice(3)).toEqual([expect.stringContaining('"three"'), expect.stringContaining('"two"')]);
  });

  it.each(["wait", "hang"] as const)("stops a turn first that is at %s", async (what) => {
    await ann.ask("one");
    await ann.begin(what);
    expect(await ann.ask("/undo")).toMatch(new RegExp(`^Taken back, from "${what}" on`));
    expect(await ann.transcript()).toEqual(["user: one", "assistant: one (1)"]);
    expect((await ann.whole())[2]).toBe(`(user: ${what})`);
    expect((await ann.whole()).length).toBeGreaterThan(3);
    expect(await ann.ask("two")).toBe("two (3)");
  });

  it("goes before what waits behind the stopped turn", async () => {
    await ann.begin("wait");
    await ann.ask("/queue later");
    await ann.ask("/undo");
    await world.adapter.until(() => ann.told.includes("later (1)"));
    expect(await ann.transcript()).toEqual(["user: later", "assistant: later (1)"]);
  });

  it("needs a session", async () => {
    for (const command of ["/undo", "/retry", "/branch", "/title x"]) {
      expect(await ann.ask(command)).toBe("There is no session here yet: your first message starts one.");
    }
  });
});

describe("/retry", () => {
  it("runs with what whoever said it may do, and with their files, not with what the asker may", async () => {
    await world.close();
    const tool = { name: "terminal", description: "", parameters: {}, run: async () => "" };
    const folder = mkdtempSync(join(tmpdir(), "baton-retry-"));
    const people = { owners: { telegram: ["boss"] }, guests: { telegram: ["eve"] } };
    world = await World.open({ gateway: { tools: () => [tool] }, mediaFolder: folder, people });
    const given: { tools: string[]; last: Message | undefined }[] = [];
    const run = world.agent.run.bind(world.agent);
    world.agent.run = (turn) => {
      given.push({ tools: turn.tools.map(({ name }) => name), last: turn.history.at(-1) });
      return run(turn);
    };
    const room = { chatId: "room", chatType: "group" } as const;
    const eve = world.chat("eve", room);
    const boss = world.chat("boss", room);
    const files = [{ mediaType: "image/png", read: async () => new Uint8Array([1]) }];
    await world.adapter.write({ ...eve.source, userId: "eve" }, "show me", { files });
    await until(() => given.length === 1);
    await world.gateway.lane(eve.key).idle();
    await boss.write("/retry");
    await until(() => given.length === 2);
    for (const { tools, last } of given) {
      expect(tools).not.toContain("terminal");
      expect(last).toMatchObject({
        content: expect.stringMatching(/^\[Eve #[0-9a-f]{10} guest\] show me/),
        attachments: [{ mediaType: "image/png" }],
      });
    }
    rmSync(folder, { recursive: true });
  });

  it("stays who said it, though what somebody else said after it was taken back, also in a branch", async () => {
    await world.close();
    const tool = { name: "terminal", description: "", parameters: {}, run: async () => "" };
    const people = { owners: { telegram: ["boss"] }, guests: { telegram: ["eve"] } };
    world = await World.open({ gateway: { tools: () => [tool] }, people });
    const given: { tools: string[]; last: string | undefined }[] = [];
    const run = world.agent.run.bind(world.agent);
    world.agent.run = (turn) => {
      given.push({ tools: turn.tools.map(({ name }) => name), last: turn.history.at(-1)?.content });
      return run(turn);
    };
    const room = { chatId: "room", chatType: "group" } as const;
    const eve = world.chat("eve", room);
    const boss = world.chat("boss", room);
    await eve.ask("show me");
    await boss.ask("hello");
    await boss.ask("/undo");
    await eve.ask("/retry");
    await until(() => given.length === 3);
    await world.gateway.lane(eve.key).idle();
    await boss.ask("/branch");
    await boss.ask("/retry");
    await until(() => given.length === 4);
    for (const { tools, last } of given.slice(2)) {
      expect(tools).not.toContain("terminal");
      expect(last).toMatch(/^\[Eve #[0-9a-f]{10} guest\] show me$/);
    }
  });

  it("asks again with the last message, in place of the first answer, which is kept", async () => {
    await ann.ask("one");
    await ann.ask("two");
    expect(await ann.ask("/retry")).toBe('Trying again: "two"');
    expect(await ann.next(3)).toBe("two (3)");
    expect(await ann.transcript()).toEqual([
      "user: one",
      "assistant: one (1)",
      "user: two",
      "assistant: two (3)",
    ]);
    expect(await ann.whole()).toEqual([
      "user: one",
      "assistant: one (1)",
      "(user: two)",
      "(assistant: two (3))",
      "user: two",
      "assistant: two (3)",
    ]);
  });

  it("stops a hanging turn, and tries that message again", async () => {
    await ann.begin("hang");
    const begun = world.agent.begun;
    expect(await ann.ask("/retry")).toBe('Trying again: "hang"');
    await until(() => world.agent.begun > begun);
    expect(await ann.transcript()).toEqual(["user: hang"]);
    expect((await ann.whole())[0]).toBe("(user: hang)");
  });

  it("keeps the name of who said it, whoever asks again", async () => {
    const place = { chatId: "team", chatType: "group" as const };
    await world.chat("ann", place).ask("hello");
    const bob = world.chat("bob", place);
    await bob.ask("/retry");
    expect(await bob.next(2)).toMatch(/^\[Ann #[0-9a-f]{10} member\] hello \(1\)$/);
  });

  it("says when there is nothing to try", async () => {
    await ann.ask("/new");
    expect(await ann.ask("/retry")).toBe("There is nothing to try again yet.");
  });

  it("asks once, though the process ends before the answer", async () => {
    await ann.begin("wait");
    const begun = world.agent.begun;
    await ann.ask("/retry");
    await until(() => world.agent.begun > begun);
    await world.restart();
    await until(() => world.agent.begun > begun + 1);
    expect(await ann.ask("/stop")).toBe("Stopped.");
    await world.gateway.lane(ann.key).idle();
    expect(await ann.transcript()).toEqual(["user: wait", "assistant: waited"]);
  });

  it("asks once, though the command is carried out twice", async () => {
    await ann.ask("hello");
    const { platform, account } = world.adapter;
    const { key, source } = ann;
    const item = {
      id: 77 as InboxId,
      kind: "command",
      platform,
      account,
      key,
      source,
      messageId: "m",
      text: "/retry",
      receivedAt: world.now,
    } as const;
    await world.commands.run(item, world.gateway.forCommands);
    await world.gateway.lane(key).idle();
    await world.commands.run(item, world.gateway.forCommands);
    await world.gateway.lane(key).idle();
    expect(ann.told).toEqual(["hello (1)", "hello (1)"]);
  });
});

describe("/branch", () => {
  it("goes on in a copy, and leaves the original as it is", async () => {
    await ann.ask("/new Garden");
    await ann.ask("one");
    await ann.ask("two");
    await ann.ask("/undo");
    const original = await ann.session();
    world.now += 60_000;
    expect(await ann.ask("/branch")).toBe(
      'You are now in the branch "Garden (2)". "Garden" stays as it is: /resume lists both.',
    );
    expect(await ann.transcript()).toEqual(["user: one", "assistant: one (1)"]);
    expect(await ann.ask("other way")).toBe("other way (3)");
    expect(await ann.transcript(original.sessionId)).toHaveLength(2);
    expect(await ann.whole(original.sessionId)).toHaveLength(4);
    expect(await ann.session()).toMatchObject({
      parentId: original.sessionId,
      owner: original.owner,
      endedAt: null,
      endReason: null,
    });

    world.now += 60_000;
    await ann.ask("/branch");
    expect((await ann.session()).title).toBe("Garden (3)");
    const list = await ann.ask("/resume");
    expect(list).toMatch(/1\. "Garden \(3\)" · \*\*here now\*\* · branch · 4 messages/);
    expect(list).toMatch(/\d\. "Garden \(2\)" · branch · 4 messages/);
    expect(list).toMatch(/\d\. "Garden" · 2 messages/);
    await ann.ask("/resume Garden");
    expect(await ann.ask("back")).toBe("back (3)");
  });

  it("takes a title, keeps the cursor of what was summed up, and costs nothing yet", async () => {
    for (const text of ["one", "two", "three"]) await ann.ask(text);
    await ann.ask("/undo");
    await ann.ask("four");
    await world.sessions.update(ann.key, { consolidatedThrough: 7, summary: "so far" });
    await ann.ask("/branch Other");
    expect(await ann.session()).toMatchObject({
      title: "Other",
      consolidatedThrough: 5,
      summary: "so far",
      totalTokens: 0,
    });
    const other = await ann.session();
    expect((await ann.transcript(other.sessionId))[5]).toMatch(/^assistant: four/);
  });

  it("stops the running turn, and has what it said in both", async () => {
    await ann.begin("wait");
    const original = await ann.session();
    expect(await ann.ask("/branch Other")).toMatch(/^You are now in the branch "Other"/);
    expect(await ann.transcript()).toEqual(["user: wait", "assistant: waited"]);
    expect(await ann.transcript(original.sessionId)).toEqual(["user: wait", "assistant: waited"]);
  });

  it("refuses a title that is too long before anything is stopped, and an empty session", async () => {
    await ann.begin("wait");
    expect(await ann.ask(`/branch ${"x".repeat(101)}`)).toMatch(/at most 100/);
    expect(world.gateway.lane(ann.key).run).toBeDefined();
    await ann.ask("/new");
    expect(await ann.ask("/branch")).toBe("There is nothing to branch from yet.");
  });
});
