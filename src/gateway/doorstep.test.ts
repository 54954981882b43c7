/** Those who are not let in, and how they come to be: through a whole gateway. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Chat, World } from "../../test/support/gateway-world.js";
import { SendError } from "../adapter/adapter.js";
import { OWNER } from "../session/access.js";
import { ScriptedAdapter } from "../testing/scripted-adapter.js";
import { CODE_MS, LOCK_MS, MOST_AGAIN, MOST_WAITING } from "./pairing.js";

const [HERE, THERE] = ["telegram", "discord"];
const codeIn = (text: string | undefined) => /code is ([2-9A-Z]{8})/.exec(text ?? "")?.[1] ?? "";

let world: World;
let boss: Chat;
let eve: Chat;
beforeEach(async () => {
  world = await World.open({ platform: HERE, people: { owners: { [HERE]: ["boss"] } } });
  boss = world.chat("boss");
  eve = world.chat("eve");
});
afterEach(() => world.close());

/** Nothing of what was written so far is anywhere. */
async function leftNoTrace(): Promise<void> {
  expect((await world.sessions.list({}, OWNER)).items).toEqual([]);
  expect(await world.store.inbox.waiting(world.adapter)).toEqual([]);
  expect(await world.store.outbox.pending(world.adapter, 10)).toEqual([]);
  expect(world.problems).toEqual([]);
}

describe("somebody unknown who writes in private", () => {
  it("is answered once with a code, and nothing of it is kept", async () => {
    const told = await eve.ask("hello, let me in");
    expect(told).toMatch(
      /^I don't know you yet\. Your code is [2-9A-Z]{8}\. It is valid for ten minutes\.\n/,
    );
    expect(told).toContain(`\`baton people approve ${codeIn(told)}\``);
    for (const text of ["hello?", "/status", "/new", "run ls", "/pair approve ABCDEFGH"])
      await eve.write(text);
    await leftNoTrace();
    world.now += CODE_MS;
    expect(codeIn(await eve.ask("still there?"))).not.toBe(codeIn(told));
  });

  it("is let in by the owner's word, at once, and talks to the agent as a guest", async () => {
    const code = codeIn(await eve.ask("hello"));
    expect(await boss.ask("/pair")).toContain("- `telegram:eve`, just now");
    expect(await boss.ask(`/pair approve ${code.toLowerCase()}`)).toBe(
      "`telegram:eve` is now let in, as a guest.",
    );
    expect(await eve.ask("hello")).toBe("hello (1)");
    expect(await eve.ask("/whoami")).toContain("Role: guest");
    expect(await boss.ask(`/pair approve ${code}`)).toMatch(
      /^This code is not valid: .* You have 4 tries left\.$/,
    );
    expect(await boss.ask("/pair")).toBe("Nobody is waiting to be let in.");
  });

  it("may ask how it stands with /pair, and not forever", async () => {
    await eve.ask("/pair");
    world.now += 4 * 60_000;
    expect(await eve.ask("/pair")).toBe("You have already asked. The code that I sent you expires in 6 min.");
    expect(await eve.ask("/pair me")).toMatch(/^You have already asked/);
    await eve.write("/pair");
    await eve.write("/pair");
    expect(eve.told).toHaveLength(3);
  });

  it("is not let in by a guess, nor by a code of another", async () => {
    const mal = world.chat("mal");
    const code = codeIn(await eve.ask("hi"));
    await mal.ask("hi");
    await mal.write(`/pair approve ${code}`);
    expect(await mal.ask(`/link ${code}`)).toMatch(/is not valid.* You have 4 tries left/);
    for (let n = 0; n < 4; n++) await mal.ask("/link ABCDEFGH");
    await mal.write(`/link ${code}`);
    await boss.ask(`/pair approve ${code}`);
    expect(await eve.ask("hi")).toBe("hi (1)");
    await mal.write("hi");
    expect((await world.gateway.people.access(mal.source)).allowed).toBe(false);
  });

  it("hears once that they are locked out, however much they type, and again when they are again", async () => {
    const locked = /That was your last try. You can try again in an hour\.$/;
    for (const replies of [5, 10]) {
      for (let n = 0; n < 40; n++) await eve.write("/link ABCDEFGH");
      await world.restart(); // What was being said is out.
      expect(eve.told).toHaveLength(replies);
      expect(eve.told.filter((text) => locked.test(text))).toHaveLength(replies / 5);
      world.now += LOCK_MS;
    }
  });

  it("is not kept out by strangers who ask again and again", async () => {
    const strangers = Array.from({ length: MOST_AGAIN + 5 }, (_, n) => world.chat(`u${n}`));
    for (let day = 0; day < 3; day++) {
      for (const stranger of strangers) await stranger.write("hi");
      world.now += CODE_MS;
    }
    for (const stranger of strangers) await stranger.write("hi");
    expect(codeIn(await eve.ask("hi"))).not.toBe("");
  }, 300_000);

  it("is not heard where as many wait as may, and not answered after a no", async () => {
    for (let n = 0; n < MOST_WAITING; n++) await world.chat(`u${n}`).ask("hi");
    await eve.write("hi");
    world.now += CODE_MS;
    const code = codeIn(await eve.ask("hi"));
    expect(eve.told).toHaveLength(1);
    expect(await boss.ask(`/pair deny ${code}`)).toBe(
      "`telegram:eve` is not let in, and gets no more answers.",
    );
    world.now += CODE_MS;
    for (const text of ["hi", "/pair", "/link ABCDEFGH"]) await eve.write(text);
    expect(eve.told).toHaveLength(1);
  });

  it("gets another code where the first could not be sent", async () => {
    await world.close();
    let broken = true;
    const adapter = new ScriptedAdapter({
      onSend: () => {
        if (broken) throw new SendError("retryable", "no network");
      },
    });
    world = await World.open({ gateway: { adapters: [adapter] } });
    await adapter.write({ userId: "eve" }, "hi");
    await expect.poll(async () => (await world.store.people.requests(world.now)).length).toBe(0);
    expect(world.problems.join()).toMatch(/Could not answer a stranger: no network/);
    broken = false;
    await adapter.write({ userId: "eve" }, "hi");
    await adapter.until((sent) => sent.length === 1);
  });
});

describe("where pairing is off", () => {
  it("a stranger is not answered, whatever code they give, unless it is right", async () => {
    const people = { pairing: "off" as const, allow: { [HERE]: ["ann"] } };
    await world.close();
    world = await World.open({ platform: HERE, people });
    const other = await World.open({ platform: THERE, on: world.store, people });
    const [guesser, away] = [other.chat("mal"), other.chat("ann-away")];
    for (let n = 0; n < 10; n++) await guesser.write("/link ABCDEFGH");
    await away.write("/link ABCDEFGH");
    const code = codeIn(await world.chat("ann").ask("/link"));
    expect(await away.ask(`/link ${code}`)).toMatch(/^This account is now linked with `telegram:ann`/);
    await other.gateway.stop({ drainMs: 0 });
    expect(other.adapter.sent).toHaveLength(1);
    await other.close();
  });
});

describe("others at the door", () => {
  it("in a group, and bots, are never answered", async () => {
    const group = world.chat("eve", { chatId: "team", chatType: "group" });
    const thread = world.chat("eve", { chatId: "team", chatType: "thread", threadId: "7" });
    const bot = world.chat("bot", { isBot: true });
    for (const chat of [group, thread, bot]) {
      for (const text of ["hi", "/pair", "/link ABCDEFGH"]) await chat.write(text);
    }
    expect(await world.store.people.requests(world.now)).toEqual([]);
    await world.gateway.stop({ drainMs: 0 });
    expect(world.adapter.sent).toEqual([]);
  });

  it("a display name opens nothing", async () => {
    const fake = world.chat("mal", { userName: "boss", chatName: "boss" });
    expect(await fake.ask("hello")).toMatch(/^I don't know you/);
    await boss.ask(`/pair approve ${codeIn(fake.told[0])}`);
    expect(await fake.ask("/pair")).toBe("A guest can't use /pair. Send /help to list your commands.");
  });
});

describe("what the owner decides", () => {
  it("counts with the next message, in a gateway of another process too", async () => {
    const elsewhere = await World.open({ platform: HERE, on: world.store });
    const there = elsewhere.chat("eve");
    await boss.ask(`/pair approve ${codeIn(await eve.ask("hi"))}`);
    expect(await there.ask("/whoami")).toContain("Role: guest");
    const { id = "" } = (await world.store.people.find("telegram:eve")) ?? {};
    await world.store.people.setRole(id, "member");
    expect(await there.ask("/whoami")).toContain("Role: member");
    await world.store.people.forget({ personId: id });
    expect(await there.ask("/whoami")).toMatch(/^I don't know you yet/);
    await elsewhere.close();
  });

  it("leaves what was accepted before without tools", async () => {
    const given: string[][] = [];
    const tools = [{ name: "fetch_url", description: "", parameters: {}, run: async () => "" }];
    await world.close();
    world = await World.open({ gateway: { tools: () => tools } });
    const run = world.agent.run.bind(world.agent);
    world.agent.run = (turn) => {
      given.push(turn.tools.map(({ name }) => name));
      return run(turn);
    };
    const chat = world.chat("ann");
    await chat.ask("hi");
    const { people } = world.gateway;
    const who = await people.access(chat.source);
    if (!who.allowed) throw new Error("Ann is let in.");
    Object.defineProperty(people, "access", { value: async () => ({ allowed: false, reason: "forgotten" }) });
    await world.gateway.forCommands.enqueue(
      { ...world.adapter, key: chat.key, source: chat.source, messageId: "x", text: "again" },
      who,
    );
    await chat.next(1);
    expect(given[0]).toContain("fetch_url");
    expect(given[1]).toEqual([]);
  });
});

describe("linking", () => {
  let other: World;
  beforeEach(async () => {
    other = await World.open({
      platform: THERE,
      on: world.store,
      people: { allow: { [HERE]: ["ann", "bob"] } },
    });
  });
  afterEach(() => other.close());

  it("joins what one was shown and the other types; each sees what both have, and nothing is lost", async () => {
    const ann = world.chat("ann");
    await ann.ask("/new Garden");
    await ann.ask("roses");
    const garden = await ann.session();
    const away = other.chat("ann-away");
    const shown = await ann.ask("/link");
    expect(shown).toContain("Anyone who sends it becomes you");
    expect(await away.ask(`/link ${codeIn(shown)}`)).toMatch(
      /^This account is now linked with `telegram:ann`/,
    );

    expect(await away.ask("/whoami")).toContain("Role: member\nAlso you: `telegram:ann`");
    await away.ask("/new Garden"); // Titles are unique among those of one identity.
    expect(await away.ask("/sessions")).toContain(garden.sessionId);
    expect(await away.ask("/search roses")).toContain('"Garden"');
    expect(await away.ask(`/resume ${garden.sessionId}`)).toMatch(/^Back in "Garden"/);
    expect(await away.transcript()).toEqual(["user: roses", "assistant: roses (1)"]);
    expect(await ann.ask("/sessions")).toContain(garden.sessionId);
    expect((await ann.ask("/resume Garden")).split(":")[0]).toBe('"Garden" matches several sessions');
    expect((await world.sessions.get(garden.sessionId))?.owner).toBe("person:telegram:ann");

    // Another's is not seen, and in a group nothing of the other side is.
    const bob = world.chat("bob");
    await bob.ask("secret");
    expect(await away.ask("/sessions")).not.toContain((await bob.session()).sessionId);
    const group = other.chat("ann-away", { chatId: "team", chatType: "group" });
    expect(await group.ask("/sessions")).not.toContain("Garden");
    expect(await group.ask("/whoami")).not.toContain("telegram:ann");

    await world.store.people.unlink("discord:ann-away", "p", world.now);
    expect(await away.ask("/sessions")).toMatch(/^I don't know you/);
    expect(await ann.ask("/sessions")).toContain(garden.sessionId);
  });

  it("does not let in by another's code whom the owner refused", async () => {
    const away = other.chat("away");
    const { people } = other.gateway;
    await people.denyCode("local:cli", codeIn(await away.ask("hi")));
    const shown = await world.chat("ann").ask("/link");
    await away.write(`/link ${codeIn(shown)}`);
    expect((await people.access(away.source)).allowed).toBe(false);
    expect(away.told).toHaveLength(1);
  });

  it("makes who types the terminal's code its owner there, who sees all in private", async () => {
    await world.chat("ann").ask("hers");
    const terminal = await World.open({ platform: "local", on: world.store });
    const cli = terminal.chat("", { chatId: "cli", userName: "" });
    await cli.ask("at the terminal");
    const code = codeIn(await cli.ask("/link"));
    const phone = other.chat("me");
    expect(await phone.ask(`/link ${code}`)).toMatch(/^This account is now linked with/);
    expect(await phone.ask("/whoami")).toContain("Role: owner\nAlso you: this machine's terminal");
    expect(await phone.ask("/sessions")).toContain("at the terminal");
    const group = other.chat("me", { chatId: "team", chatType: "group" });
    expect(await group.ask("/sessions")).not.toContain("at the terminal");
    await terminal.close();
  });

  it("shows no code in a group, and a code written there is worthless", async () => {
    const group = world.chat("ann", { chatId: "team", chatType: "group" });
    expect(await group.ask("/link")).toMatch(/^Others would see it here/);
    const code = codeIn(await world.chat("ann").ask("/link"));
    const bobs = world.chat("bob", { chatId: "team", chatType: "group" });
    expect(await bobs.ask(`/link ${code}`)).toMatch(/^Others have seen this code, so it is no longer valid/);
    expect(await world.chat("bob").ask(`/link ${code}`)).toMatch(/is not valid/);

    const again = codeIn(await world.chat("ann").ask("/link"));
    await world.chat("stranger", { chatId: "team", chatType: "group" }).write(`/link ${again}`);
    expect(await other.chat("mal").ask(`/link ${again}`)).toMatch(/is not valid/);
  });

  it("keeps no code in what was said", async () => {
    const code = codeIn(await world.chat("ann").ask("/link"));
    await world.gateway.stop({ drainMs: 0 });
    expect(world.adapter.sent.map(({ text }) => text).join()).toContain(code);
    expect(world.adapter.sent.map(({ deliveryId }) => deliveryId)).toEqual([expect.stringMatching(/^say\./)]);
  });

  it("says when one types one's own, or nothing that could be a code", async () => {
    const ann = world.chat("ann");
    expect(await ann.ask(`/link ${codeIn(await ann.ask("/link"))}`)).toMatch(
      /^These accounts are already linked/,
    );
    expect(await ann.ask("/link please")).toBe("That is not a code. A code has 8 letters and digits.");
  });
});

describe("the tools of one person", () => {
  const tools = ["terminal", "fetch_url"].map((name) => ({
    name,
    description: "",
    parameters: {},
    run: async () => "",
  }));
  const given = (in_: World): string[][] => {
    const turns: string[][] = [];
    const run = in_.agent.run.bind(in_.agent);
    in_.agent.run = (turn) => {
      turns.push(turn.tools.map(({ name }) => name));
      return run(turn);
    };
    return turns;
  };
  const gateway = { tools: () => tools, toolLists: { byPerson: { "telegram:gil": ["terminal"] } } };
  const people = { guests: { [HERE]: ["gil", "guy"] }, owners: { [HERE]: ["boss"] } };

  it("are theirs under an identity that is linked, and no more when it is parted", async () => {
    await world.close();
    world = await World.open({ platform: HERE, people, gateway });
    const other = await World.open({ platform: THERE, on: world.store, people, gateway });
    const [here, there] = [given(world), given(other)];
    const away = other.chat("gil-away");
    await away.ask(`/link ${codeIn(await world.chat("gil").ask("/link"))}`);
    await away.ask("hi");
    await world.chat("gil").ask("hi");
    await world.chat("guy").ask("hi");
    expect([there, here]).toEqual([[["terminal"]], [["terminal"], expect.not.arrayContaining(["terminal"])]]);
    await world.store.people.unlink("discord:gil-away", "p", world.now);
    expect(await away.ask("hi")).toMatch(/^I don't know you/);
    await other.close();
  });

  it("are not steered by another of the same role who has them not", async () => {
    await world.close();
    world = await World.open({ platform: HERE, people, gateway });
    const place = { chatId: "team", chatType: "group" as const };
    const gil = world.chat("gil", place);
    await gil.begin("wait");
    expect(await world.chat("guy", place).ask("/steer rm -rf")).toBe(
      "Queued: I will answer it after the current one.",
    );
    expect(await gil.ask("/steer go on")).toBe("Passed on to the running answer.");
  });
});

describe("a turn of the owner in a group", () => {
  it("is not steered by who may do less", async () => {
    const place = { chatId: "team", chatType: "group" as const };
    const owner = world.chat("boss", place);
    const member = world.chat("ann", place);
    await owner.begin("wait");
    expect(await member.ask("/steer and delete everything")).toBe(
      "Queued: I will answer it after the current one.",
    );
    expect(await owner.ask("/steer be quick")).toBe("Passed on to the running answer.");
    await world.adapter.until(() => owner.told.length === 4);
    expect(owner.told.slice(2)).toEqual([
      expect.stringMatching(/^waited \[Boss #[0-9a-f]{10} owner\] be quick$/),
      expect.stringMatching(/^\[Ann #[0-9a-f]{10} member\] and delete everything \(4\)$/),
    ]);
  });
});
