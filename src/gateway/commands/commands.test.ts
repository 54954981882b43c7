import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Chat, until, World } from "../../../test/support/gateway-world.js";
import type { McpState } from "../../agent/mcp/server.js";
import { deliveryIdOf } from "../../session/ids.js";
import { LOCAL } from "../../session/platform.js";
import { Commands } from "./commands.js";
import { commandTable } from "./table.js";

let world: World;
let ann: Chat;
beforeEach(async () => {
  world = await World.open();
  ann = world.chat("ann");
});
afterEach(() => world.close());

describe("the table", () => {
  const table = commandTable({ agent: "none", clock: () => 0 });

  it("has every command once, each explained", () => {
    const names = table.map(({ name }) => name);
    expect(names.join(" ")).toBe(
      "new reset resume sessions handoff title branch undo retry compress search status usage memory model instructions processes cron stop approve deny queue steer platforms whoami link web pair sethome help",
    );
    for (const { description } of table) expect(description).toMatch(/^[a-z].*[^.]$/);
  });

  it("completes a command's first word, and nothing else", () => {
    const commands = new Commands(table, world.sessions);
    const names = (line: string) => commands.completions(line).map(({ name }) => name);
    expect(names("/st")).toEqual(["status", "stop", "steer"]);
    expect(names("/RES")).toEqual(["reset", "resume"]);
    expect(names("/")).toHaveLength(table.length);
    for (const line of ["", "st", "/stop ", "/help st", " /st", "/xyz"]) expect(names(line)).toEqual([]);
    expect(commands.completions("/sto")[0]?.description).toMatch(/^stop the running answer/);
  });
});

describe("/help", () => {
  it("lists every command that one may use", async () => {
    const lines = (await ann.ask("/help")).split("\n");
    expect(lines).toHaveLength(27);
    expect(lines.join()).not.toContain("/pair");
    expect(lines[0]).toBe("- `/new [title]`: start a new session");
  });

  it("explains one, with or without its slash", async () => {
    expect(await ann.ask("/help /undo")).toMatch(/^`\/undo \[n\]`: take back .*\. Baton keeps the messages/);
    expect(await ann.ask("/help UNDO")).toBe(ann.told[0]);
    expect(await ann.ask("/help stauts")).toBe(
      'There is no command /stauts. Did you mean "status"? Send /help to list them.',
    );
  });
});

describe("/title", () => {
  it("names the session, and shows the name", async () => {
    await ann.ask("hello");
    expect(await ann.ask("/title")).toMatch(/^This session has no title/);
    expect(await ann.ask("/title  Garden\u2028\u001b[2J party\u200b ")).toBe(
      'This session is now called "Garden party".',
    );
    expect(await ann.ask("/title")).toBe('This session is called "Garden party".');
  });

  it("refuses what cannot be a title, and keeps the one there is", async () => {
    await ann.ask("/new Garden");
    await ann.ask("/new Other");
    expect(await ann.ask(`/title ${"x".repeat(101)}`)).toMatch(/at most 100 characters/);
    expect(await ann.ask("/title Garden")).toMatch(/^Another session is already called "Garden"/);
    expect(await ann.ask("/title \u200b\u202e")).toBe("A title needs visible characters.");
    expect((await ann.session()).title).toBe("Other");
  });

  it("is a person's own: two may have the same", async () => {
    const bob = world.chat("bob");
    await ann.ask("/new Garden");
    expect(await bob.ask("/new Garden")).toBe('A new session begins: "Garden".');
  });
});

describe("/search", () => {
  it("finds messages, and its numbers lead to their sessions", async () => {
    await ann.ask("/new Garden");
    await ann.ask("roses \u001b[31m and tulips");
    const garden = await ann.session();
    await ann.ask("/new Kitchen");
    world.now += 3_600_000;
    const found = await ann.ask("/search tulips");
    expect(found.split("\n").slice(0, 4)).toEqual([
      '1. "Garden", assistant, 60 min ago: roses and tulips (1)',
      "   before: user: roses and tulips",
      '2. "Garden", user, 60 min ago: roses and tulips',
      "   after: assistant: roses and tulips (1)",
    ]);
    await ann.ask("/resume 2");
    expect((await ann.session()).sessionId).toBe(garden.sessionId);
    expect(await ann.ask("/search")).toMatch(/^Say what to look for/);
    expect(await ann.ask("/search lilies")).toBe("No message in your sessions contains these words.");
  });

  it("takes filters, says which it understood, and opens what they found", async () => {
    const { platform } = world.adapter;
    await ann.ask("/new Garden");
    await ann.ask("roses");
    const garden = await ann.session();
    await ann.ask("/new Kitchen");
    await ann.ask("roses on the table");
    const hits = async (filters: string) =>
      (await ann.ask(`/search roses ${filters}`)).split("\n").filter((line) => /^\d\./.test(line));
    expect(await hits("role:user")).toHaveLength(2);
    expect(await hits(`role:user in:gardens FROM:${platform} after:1d`)).toHaveLength(0); // A title is exact.
    const [only = "", ...others] = await hits(`role:user in:Garden FROM:${platform} after:1d`);
    expect(others).toEqual([]);
    expect(only).toContain('"Garden", user');
    await ann.ask("/resume 1");
    expect((await ann.session()).sessionId).toBe(garden.sessionId);

    expect(await ann.ask('/search roses role:tool in:"Kitchen" before:2026-01-01')).toBe(
      "No message in your sessions contains these words and passes the filters role:tool in:Kitchen before:2026-01-01.",
    );
    expect(await ann.ask("/search roses to:tool")).toBe("No message in your sessions contains these words.");
    expect(await ann.ask('/search role:user in:"My garden"')).toBe(
      'Say what to look for, as in `/search garden party role:user in:"My garden"`.',
    );
    expect(await ann.ask("/search roses in:Cellar")).toBe(
      'There is no session "Cellar" here. Send /sessions to list yours.',
    );
    const group = world.chat("ann", { chatId: "room", chatType: "group" });
    expect(await group.ask("/search roses")).toBe("No message in this chat contains these words.");
    expect(await ann.ask("/search roses role:robot")).toMatch(/There is no role "robot"\. Use user, /);
    expect(await ann.ask("/search roses after:noon")).toMatch(/"noon" is not a date for "after"\. Use 2026-/);
    expect(await ann.ask("/search roses from:nowhere")).toMatch(/There is no platform "nowhere"\./);
  });

  it("finds no session of somebody else by in:", async () => {
    const bob = world.chat("bob");
    await bob.ask("/new Secret");
    await bob.ask("roses");
    await ann.ask("roses");
    expect(await ann.ask("/search roses in:Secret")).toBe(
      (await ann.ask("/search roses in:Nothing")).replace("Nothing", "Secret"),
    );
  });
});

describe("/status and /usage", () => {
  it("count what may not have arrived here, for a week", async () => {
    const { store, adapter, now } = world;
    const address = { platform: adapter.platform, chatId: "ann" };
    const row = {
      account: adapter.account,
      holder: "x",
      address,
      purpose: "notice",
      sessionId: null,
    } as const;
    await store.outbox.add(
      [{ ...row, deliveryId: deliveryIdOf("d"), text: "lost?", shown: false }],
      now - 3_600_000,
    );
    const [{ id = 0 } = {}] = await store.outbox.pending(adapter, 1);
    await store.outbox.sending(id, "x");
    await store.outbox.doubt({ id, holder: "x" }, "no answer", null, now);
    expect(await ann.ask("/status")).toContain(
      "\nDelivery: 1 message may not have arrived here, the last 60 min ago.",
    );
    expect(await world.chat("bob").ask("/status")).not.toContain("Delivery");
    world.now += 7 * 86_400_000;
    expect(await ann.ask("/status")).not.toContain("Delivery");
  });

  it("show the session, the agent and the policy", async () => {
    expect(await ann.ask("/status")).toBe(
      "There is no session here yet: your first message starts one.\nAgent: directed, idle.",
    );
    await ann.ask("/new Garden");
    await ann.ask("hello");
    const { sessionId } = await ann.session();
    expect(await ann.ask("/status")).toBe(
      [
        `Session: "Garden" (\`${sessionId}\`)`,
        "Size: 2 messages; 1.2k tokens used",
        "Agent: directed, idle.",
        "Reset: never automatically.",
      ].join("\n"),
    );
    const used = await ann.ask("/usage");
    expect(used).toContain(
      "This session: 1,234 tokens (input 1,000, output 234)\nCost: $0.0125\nYou today: 1,234 tokens, $0.0125",
    );
  });

  it("show how the servers are whose tools the agent uses", async () => {
    await world.close();
    const mcp = (): McpState[] => [
      { server: "files", kind: "ready", tools: 1, missing: ['"fly"'] },
      { server: "slow", kind: "connecting" },
      {
        server: "web",
        kind: "failed",
        reason: "it answered\n\u001b[31mHTTP 503",
        nextTryAt: world.now + 120_000,
        said: [],
      },
    ];
    world = await World.open({ info: { mcp } });
    ann = world.chat("ann");
    const lines = [
      'MCP server files: ready, 1 tool; it has no tool "fly".',
      "MCP server slow: connecting.",
      "MCP server web: failed, it answered HTTP 503; next try in 2 min.",
    ];
    expect((await ann.ask("/status")).split("\n").slice(2)).toEqual(lines);
    await ann.ask("hello");
    expect((await ann.ask("/status")).split("\n").slice(4)).toEqual(lines);
  });

  it("say that nothing was reported rather than that it was free", async () => {
    await ann.ask("/new");
    expect(await ann.ask("/usage")).toMatch(
      /^This session: 0 tokens \(input 0, output 0\)\nCost: none reported\n/,
    );
  });

  it("say when the policy begins the session anew", async () => {
    await world.close();
    world = await World.open({
      config: { reset: { default: { mode: "both", idleMinutes: 90, atHour: 4 } }, timezone: "UTC" },
    });
    ann = world.chat("ann");
    await ann.ask("hello");
    world.now += 30 * 60_000;
    expect(await ann.ask("/status")).toContain(
      "Reset: after 90 minutes without messages and every day at 04:00; next in 60 min.",
    );
    world.now += 61 * 60_000;
    expect(await ann.ask("/status")).toContain("; due with the next message.");
  });

  it.each(["wait", "hang"] as const)("work while a turn is at %s", async (what) => {
    await ann.begin(what);
    await ann.ask("/queue later");
    world.now += 5 * 60_000;
    const status = await ann.ask("/status");
    expect(status).toContain(
      "Agent: directed, working on an answer, started 5 min ago (stop it with /stop); 1 message waiting.",
    );
    expect(await ann.ask("/usage")).toMatch(/^This session: 0 tokens /);
    expect(world.gateway.lane(ann.key).run).toBeDefined();
  });
});

describe("/stop", () => {
  it.each(["wait", "hang"] as const)("ends a turn that is at %s, and says what comes next", async (what) => {
    await ann.begin(what);
    await ann.ask("/queue later");
    expect(await ann.ask("/stop")).toBe("Stopped. 1 waiting message next.");
    await world.adapter.until(() => ann.told.some((text) => text.startsWith("later")));
    expect(await ann.ask("/stop")).toBe("Nothing is running.");
    const transcript = await ann.transcript();
    expect(transcript[0]).toBe(`user: ${what}`);
    expect(transcript.at(-2)).toBe("user: later");
  });

  it("ends a turn that is only just beginning", async () => {
    await Promise.all([ann.write("hang"), ann.write("/stop")]);
    await world.adapter.until(() => ann.told.length === 1);
    expect(ann.told).toEqual(["Stopped."]);
    await world.gateway.lane(ann.key).idle();
    expect(await ann.ask("/stop")).toBe("Nothing is running.");
    expect(await ann.ask("hello")).toMatch(/^hello/);
  });

  it("leaves the turns of others alone", async () => {
    const bob = world.chat("bob");
    await bob.begin("wait");
    expect(await ann.ask("/stop")).toBe("Nothing is running.");
    expect(world.gateway.lane(bob.key).run).toBeDefined();
  });
});

describe("/queue and /steer", () => {
  it("let the running turn go on, whatever the busy mode", async () => {
    await ann.begin("wait");
    expect(await ann.ask("/queue and\nthen")).toBe("Queued: I will answer it after the current one.");
    expect(await ann.ask("/steer to the left")).toBe("Passed on to the running answer.");
    await world.adapter.until(() => ann.told.length === 4);
    expect(ann.told.slice(2)).toEqual(["waited to the left", "and\nthen (4)"]);
    expect(await ann.transcript()).toEqual([
      "user: wait",
      "user: to the left",
      "assistant: waited to the left",
      "user: and\nthen",
      "assistant: and\nthen (4)",
    ]);
  });

  it("are messages like any other while nothing is running", async () => {
    expect(await ann.ask("/queue one")).toBe("one (1)");
    expect(await ann.ask("/steer two")).toBe("two (3)");
    expect(await ann.ask("/queue")).toMatch(/^Add a message, as in `\/queue /);
    expect(ann.told).toHaveLength(3);
  });

  it("survive a restart, in order", async () => {
    await ann.begin("wait");
    for (const text of ["a", "b"]) await ann.ask(`/queue ${text}`);
    await world.restart();
    await until(() => world.gateway.lane(ann.key).run !== undefined);
    await ann.ask("/stop");
    await world.adapter.until(() => ann.told.length === 5);
    expect(ann.told.slice(3)).toEqual(["a (3)", "b (5)"]);
  });
});

describe("/platforms and /whoami", () => {
  it("show what is connected", async () => {
    expect(await ann.ask("/platforms")).toBe("- Telegram: connected just now");
    await world.gateway.stop({ drainMs: 0 });
    expect(world.gateway.platforms()).toMatchObject([{ platform: "telegram", state: { kind: "idle" } }]);
  });

  it("show the identity and the role, and no name", async () => {
    const named = world.chat("ann", { userName: "bob", chatName: "bob" });
    expect(await named.ask("/whoami")).toBe(
      [
        "Platform: Telegram",
        "Identity: `telegram:ann`",
        "Role: member",
        "Limits: 60 messages a minute, 4 turns at once, 0 of 2,000 model calls used today, 0.0 of 500 MB of files used today",
        "Anyone can change their name, so only the identity counts here.",
      ].join("\n"),
    );
  });

  it("know the one who sits at the machine", async () => {
    const terminal = await World.open({ platform: LOCAL });
    const told = await terminal.chat("", { chatId: "cli", userName: "" }).ask("/whoami");
    await terminal.close();
    expect(told).toMatch(/^Platform: Local\nIdentity: the person at this machine\nRole: owner\n/);
  });
});
