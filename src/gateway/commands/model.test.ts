import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Chat, World } from "../../../test/support/gateway-world.js";
import type { Agent } from "../../agent/agent.js";

let world: World;
let ann: Chat;
let listed: () => Promise<readonly string[]>;

/** Says which model it was asked for. */
const agent: Agent = {
  name: "usual",
  async *run({ model }) {
    const content = `I am ${model ?? "the usual one"}.`;
    yield { kind: "message", message: { role: "assistant", content }, results: [] };
    yield { kind: "done", stopped: false };
  },
};

beforeEach(async () => {
  listed = async () => ["usual", "large"];
  const model = { name: "usual", where: "host.example, chosen by SOME_KEY", list: () => listed() };
  world = await World.open({ gateway: { agent }, info: { model } });
  ann = world.chat("ann");
});
afterEach(() => world.close());

describe("/model", () => {
  it("shows the model, and why it is this one", async () => {
    expect(await ann.ask("/model")).toBe("Model: `usual` at host.example, chosen by SOME_KEY.");
  });

  it("chooses one for this session, also before its first message, and beyond a restart", async () => {
    expect(await ann.ask("/model large")).toBe("This session uses `large` from now on.");
    expect(await ann.ask("hello")).toBe("I am large.");
    await world.restart();
    expect(await ann.ask("hello")).toBe("I am large.");
    expect(await ann.ask("/model")).toMatch(
      /^Model: `large`, for this session\. To go back to `usual`, send `\/model default`\.$/,
    );
    expect(await ann.ask("/status")).toContain("Agent: large, idle");
  });

  it("concerns no other session", async () => {
    await ann.ask("/model large");
    expect(await world.chat("bob").ask("hello")).toBe("I am the usual one.");
    await ann.ask("/new");
    await ann.write("hello");
    await world.adapter.until(() => ann.told.includes("I am the usual one."));
  });

  it("goes back to the usual one, and keeps what else a program noted", async () => {
    await ann.ask("hello");
    await world.sessions.update(ann.key, { metadata: { theirs: 1 } });
    await ann.ask("/model large");
    expect((await ann.session()).metadata).toEqual({ theirs: 1, model: "large" });
    expect(await ann.ask("/model default")).toBe("This session uses `usual` again.");
    expect((await ann.session()).metadata).toEqual({ theirs: 1 });
    const before = ann.told.length;
    await ann.write("hello");
    expect(await ann.next(before)).toBe("I am the usual one.");
  });

  it("takes a name that is not listed, with a doubt; says nothing where there is no list", async () => {
    expect(await ann.ask("/model lrage")).toMatch(/The server does not list it\. Did you mean "large"\?$/);
    listed = () => Promise.reject(new Error("no list"));
    expect(await ann.ask("/model lrage2")).toBe("This session uses `lrage2` from now on.");
  });

  it.each(["two words", `x${"y".repeat(300)}`, "\u200b"])("refuses what is no name: %j", async (name) => {
    expect(await ann.ask(`/model ${name}`)).toMatch(/^(?:Name one model|Model: )/);
  });
});

it("says so where the agent has no model", async () => {
  const offline = await World.open();
  expect(await offline.chat("ann").ask("/model x")).toMatch(/^The agent here has no model and needs none/);
  await offline.close();
});
