import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Chat, World } from "../../../test/support/gateway-world.js";
import { OWNER } from "../../session/access.js";

let world: World;
let ann: Chat;
beforeEach(async () => {
  world = await World.open();
  ann = world.chat("ann");
});
afterEach(() => world.close());

describe("/new", () => {
  it("begins an empty session, and leaves the last one as it was", async () => {
    await ann.ask("hello");
    const before = await ann.session();
    expect(await ann.ask("/new")).toBe(
      `A new session begins. \`${before.sessionId}\` is saved: /resume lists your sessions.`,
    );
    expect(await ann.session()).toMatchObject({ messageCount: 0, parentId: before.sessionId, title: null });
    expect(await ann.transcript(before.sessionId)).toEqual(["user: hello", "assistant: hello (1)"]);
    expect(await ann.ask("again")).toBe("again (1)");
  });

  it("begins the first one too", async () => {
    expect(await ann.ask("/new")).toBe("A new session begins.");
    expect(await ann.session()).toMatchObject({ messageCount: 0, parentId: null });
  });

  it("takes a title, cleaned", async () => {
    expect(await ann.ask("/new Garden\u202e \u001b]0;owned\u0007party\n\u2028now")).toBe(
      'A new session begins: "Garden party now".',
    );
    expect((await ann.session()).title).toBe("Garden party now");
  });

  it("begins without a title that is taken, and says so", async () => {
    await ann.ask("/new Garden");
    const { sessionId } = await ann.session();
    expect(await ann.ask("/new Garden")).toMatch(/^A new session begins, but without that title\. Another/);
    const fresh = await ann.session();
    expect(fresh.sessionId).not.toBe(sessionId);
    expect(fresh.title).toBeNull();
  });

  it("refuses a title that is too long before anything happens", async () => {
    await ann.ask("hello");
    const { sessionId } = await ann.session();
    expect(await ann.ask(`/new ${"x".repeat(101)}`)).toBe(
      "A title can have at most 100 characters; this one has 101.",
    );
    expect((await ann.session()).sessionId).toBe(sessionId);
  });

  it("works while a turn is stuck, which stays behind in the old session", async () => {
    await ann.begin("hang");
    const stuck = await ann.session();
    const told = await ann.ask("/new");
    expect(told).toMatch(/^A new session begins\. I stopped what I was doing\./);
    expect(await ann.ask("hello")).toBe("hello (1)");
    expect(await ann.transcript()).toEqual(["user: hello", "assistant: hello (1)"]);
    expect(await ann.transcript(stuck.sessionId)).toEqual([
      "user: hang",
      "assistant: ",
      "tool: Stopped before it finished; it may or may not have taken effect.",
    ]);
  });

  it("comes before what is written after it, however soon", async () => {
    await ann.ask("hello");
    await Promise.all([ann.write("/new"), ann.write("again")]);
    await world.adapter.until(() => ann.told.length === 3);
    expect(ann.told.at(-1)).toBe("again (1)");
    expect(await ann.transcript()).toEqual(["user: again", "assistant: again (1)"]);
  });

  it("takes the messages that wait along", async () => {
    await ann.begin("wait");
    await ann.ask("/queue later");
    expect(await ann.ask("/new")).toContain("1 waiting message will be answered in it.");
    await world.adapter.until(() => ann.told.includes("later (1)"));
    expect(await ann.transcript()).toEqual(["user: later", "assistant: later (1)"]);
  });
});

describe("/reset", () => {
  it("begins a session as /new does, whatever follows", async () => {
    await ann.ask("hello");
    const { sessionId } = await ann.session();
    expect(await ann.ask("/reset now")).toMatch(/^A new session begins\. /);
    expect(await ann.session()).toMatchObject({ parentId: sessionId, title: null });
    expect((await world.sessions.list({}, OWNER)).items).toHaveLength(2);
  });
});
