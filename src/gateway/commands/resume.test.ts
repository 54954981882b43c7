import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type Chat, World } from "../../../test/support/gateway-world.js";
import type { SessionId } from "../../session/ids.js";

let world: World;
let ann: Chat;
beforeEach(async () => {
  world = await World.open();
  ann = world.chat("ann");
});
afterEach(() => world.close());

const MINUTE = 60_000;

/** Three sessions, a few minutes apart; the last one is the present one. */
async function three(chat: Chat): Promise<SessionId[]> {
  const ids: SessionId[] = [];
  for (const title of ["One", "Two", "Three"]) {
    await chat.ask(`/new ${title}`);
    await chat.ask(`in ${title}`);
    ids.push((await chat.session()).sessionId);
    world.now += 5 * MINUTE;
  }
  return ids;
}

describe("/sessions", () => {
  it("says that there are none", async () => {
    expect(await ann.ask("/sessions")).toBe("There are no sessions yet: your first message starts one.");
  });

  it("lists the latest first, by title or by what was said last", async () => {
    const [one, two, three_] = await three(ann);
    await ann.ask("/new");
    await ann.ask("\u001b[31mplain\u202e talk");
    const { sessionId } = await ann.session();
    expect(await ann.ask("/sessions")).toBe(
      [
        "Your sessions, the latest first:",
        `1. untitled, "plain talk" · **here now** · 2 messages · just now · \`${sessionId}\``,
        `2. "Three" · 2 messages · 5 min ago · \`${three_}\``,
        `3. "Two" · 2 messages · 10 min ago · \`${two}\``,
        `4. "One" · 2 messages · 15 min ago · \`${one}\``,
        "",
        "To continue one, send /resume and its number.",
      ].join("\n"),
    );
  });

  it("shows ten, and says that there are more", async () => {
    for (let n = 1; n <= 11; n++) {
      await ann.ask(`/new Session ${n}`);
      world.now += MINUTE;
    }
    const list = await ann.ask("/sessions");
    expect(list).toContain('\n10. "Session 2" · empty');
    expect(list).not.toContain('"Session 1"');
    expect(list).toContain("There are older ones");
  });
});

describe("the sessions of a list as buttons", () => {
  const press = (command: string) =>
    world.adapter.write({ ...ann.source, userId: "ann" }, command, { kind: "button" });

  beforeEach(async () => {
    await world.close();
    world = await World.open({ can: ["buttons"] });
    ann = world.chat("ann");
  });

  it("are the first few that one is not in, by their ids", async () => {
    const [one, two] = await three(ann);
    await ann.ask("/sessions");
    expect(world.adapter.sent.at(-1)?.buttons).toEqual([
      { label: "2. Two", command: `/resume ${two}` },
      { label: "3. One", command: `/resume ${one}` },
    ]);
    await ann.ask(`/new ${"A very long title ".repeat(5)}`);
    world.now += MINUTE;
    await ann.ask("/new Last");
    await ann.ask("/resume");
    const labels = world.adapter.sent.at(-1)?.buttons?.map(({ label }) => label) ?? [];
    expect(labels).toEqual([expect.stringMatching(/^2\. A very long.*…$/), "3. Three", "4. Two"]);
    for (const label of labels) expect(label.length).toBeLessThanOrEqual(20);
  });

  it("mean the same session after another list and a restart", async () => {
    await three(ann);
    await ann.ask("/sessions");
    const [, one] = world.adapter.sent.at(-1)?.buttons ?? [];
    await ann.ask("/new Four");
    await ann.ask("/sessions");
    await world.restart();
    const before = ann.told.length;
    await press(one?.command ?? "");
    expect(await ann.next(before)).toMatch(/^Back in "One"/);
  });

  it("are sent by the next process, if this one could not", async () => {
    const [one] = await three(ann);
    world.adapter.there.trouble = "server error";
    await ann.write("/sessions");
    const tries = async () => (await world.store.outbox.pending(world.adapter, 1))[0]?.attempts ?? 0;
    await vi.waitUntil(async () => (await tries()) > 0, { interval: 1, timeout: 30_000 });
    world.now += 60 * MINUTE;
    await world.restart();
    await world.adapter.until((sent) => sent.at(-1)?.buttons?.at(-1)?.command === `/resume ${one}`);
  });
});

describe("/resume", () => {
  it("lists without an argument", async () => {
    await three(ann);
    expect(await ann.ask("/resume")).toMatch(/^Your sessions.*\n1\. "Three".*\n2\. "Two".*\n3\. "One"/);
    expect((await ann.session()).title).toBe("Three");
  });

  it.each([
    ["a number", () => "3"],
    ["a title", () => "One"],
    ["an id", ([one]: string[]) => one],
    ["the beginning of an id", ([one]: string[]) => one?.slice(0, -6)],
  ])("takes %s", async (_, which) => {
    const ids = await three(ann);
    expect(await ann.ask(`/resume ${which(ids)}`)).toBe(
      'Back in "One": 2 messages, the last 15 min ago. Last message: "in One".',
    );
    expect((await ann.session()).sessionId).toBe(ids[0]);
    expect(await ann.ask("on")).toBe("on (3)");
  });

  it("takes numbers as they were shown, though the order has changed", async () => {
    await three(ann);
    await ann.ask("/sessions"); // Three, Two, One
    await ann.ask("/resume 3");
    expect(await ann.ask("/resume 2")).toMatch(/^Back in "Two"/); // In the order of now it would be Three.
    expect(await ann.ask("/resume 1")).toMatch(/^Back in "Three"/);
    expect(await ann.ask("/resume 1")).toBe('You are already in "Three".');
    await world.restart();
    expect(await ann.ask("/resume 3")).toMatch(/^Back in "One"/);
  });

  it("takes a part of a title in any case, and lists those that fit", async () => {
    await three(ann);
    await ann.ask("/new Garden plans");
    world.now += MINUTE;
    await ann.ask("/new Garden shed");
    expect(await ann.ask("/resume PLANS")).toMatch(/^Back in "Garden plans"/);
    expect(await ann.ask("/resume garden")).toMatch(
      /^"garden" matches several sessions: "Garden shed" \(\S+\), "Garden plans" \(\S+\)\. Give one id\.$/,
    );
  });

  it("says what it does not find, the number too", async () => {
    await three(ann);
    for (const which of ["4", "0", "Four", 'x" y', "\u202eOne\u0000 two"]) {
      const shown = which.replaceAll("\u202e", "").replaceAll("\u0000", "");
      expect(await ann.ask(`/resume ${which}`)).toBe(
        `There is no session ${JSON.stringify(shown.replace("\u0000", ""))} here. Send /sessions to list yours.`,
      );
    }
    const id = (await ann.session()).sessionId.slice(0, 8);
    expect(await ann.ask(`/resume ${id}`)).toMatch(/^".*" matches several sessions: .* Give one id\.$/);
    expect((await ann.session()).title).toBe("Three");
  });

  it("stops the running turn, and keeps what it said where it said it", async () => {
    const [one, , three_] = await three(ann);
    await ann.begin("wait");
    expect(await ann.ask("/resume One")).toMatch(/^Back in "One"/);
    expect((await ann.transcript(three_)).at(-1)).toBe("assistant: waited");
    expect(await ann.ask("on")).toBe("on (3)");
    expect(await ann.transcript(one)).toHaveLength(4);
  });
});

describe("/resume after an automatic reset", () => {
  beforeEach(async () => {
    await world.close();
    world = await World.open({ config: { reset: { default: { mode: "idle", idleMinutes: 60 } } } });
    ann = world.chat("ann");
  });

  it("goes back in one step, and the way is open again afterwards", async () => {
    await ann.ask("remember me");
    const before = await ann.session();
    world.now += 61 * MINUTE;
    expect(await ann.ask("hello?")).toContain("To go back to the last one, send /resume");
    await world.adapter.until(() => ann.told.includes("hello? (1)"));
    const fresh = await ann.session();
    expect(fresh.sessionId).not.toBe(before.sessionId);

    expect(await ann.ask("/resume")).toMatch(/^Back in .*Last message: "remember me"\. .*\/sessions/);
    expect((await ann.session()).sessionId).toBe(before.sessionId);
    expect(await ann.ask("still there?")).toBe("still there? (3)");
    expect(await ann.transcript(fresh.sessionId)).toEqual(["user: hello?", "assistant: hello? (1)"]);

    await ann.ask(`/resume ${fresh.sessionId}`);
    expect(await ann.ask("/resume")).toMatch(/^Your sessions/);
  });

  it("lists where the person began anew themselves", async () => {
    await ann.ask("one");
    await ann.ask("/new");
    expect(await ann.ask("/resume")).toMatch(/^Your sessions/);
  });
});

describe("the sessions of others", () => {
  it("are not listed, found or resumed", async () => {
    const bob = world.chat("bob");
    await bob.ask("/new Secret");
    await bob.ask("the password is swordfish");
    const secret = await bob.session();
    await ann.ask("hello");
    const own = await ann.session();

    expect(await ann.ask("/sessions")).not.toContain(secret.sessionId);
    expect(ann.told.at(-1)).not.toContain("Secret");
    const missing = await ann.ask("/resume Nothing");
    for (const which of ["Secret", secret.sessionId, "2"]) {
      expect(await ann.ask(`/resume ${which}`)).toBe(missing.replace("Nothing", which));
    }
    await ann.ask("/title 7"); // A title, where no list has so many.
    expect(await ann.ask("/resume 7")).toBe('You are already in "7".');
    expect(await ann.ask("/search swordfish")).toBe("No message in your sessions contains these words.");
    expect(await bob.ask("/search swordfish")).toContain("swordfish");
    expect((await ann.session()).sessionId).toBe(own.sessionId);
    expect((await bob.session()).sessionId).toBe(secret.sessionId);
  });

  it("do not show in a group, nor the group's in private; the group shares its own", async () => {
    const place = { chatId: "team", chatType: "group" as const };
    const [annThere, bobThere] = [world.chat("ann", place), world.chat("bob", place)];
    await ann.ask("/new Private");
    await annThere.ask("/new Plans");
    await annThere.ask("hello");
    world.now += MINUTE;
    await annThere.ask("/new Others");

    expect(await bobThere.ask("/sessions")).toMatch(/1\. "Others".*\n2\. "Plans".*\n\n/);
    expect(await annThere.ask("/sessions")).not.toContain("Private");
    expect(await annThere.ask("/resume Private")).toMatch(/^There is no session "Private" here/);
    expect(await ann.ask("/sessions")).not.toContain("Plans");
    expect(await ann.ask("/resume Plans")).toMatch(/^There is no session "Plans" here/);
    expect(await bobThere.ask("/resume 2")).toMatch(/^Back in "Plans"/);
    expect(await annThere.ask("/title")).toBe('This session is called "Plans".');
  });

  it("stay apart in a group where each member has their own", async () => {
    await world.close();
    world = await World.open({ config: { scopes: { group: "member" } } });
    const place = { chatId: "team", chatType: "group" as const };
    const [annThere, bobThere] = [world.chat("ann", place), world.chat("bob", place)];
    await annThere.ask("/new Mine");
    await bobThere.ask("/new His");
    expect(await bobThere.ask("/sessions")).not.toContain("Mine");
    expect(await bobThere.ask("/resume Mine")).toMatch(/^There is no session "Mine" here/);
    // A number that another member was shown says nothing to this one.
    expect(await annThere.ask("/resume 2")).toMatch(/^There is no session "2" here/);
  });
});
