/** What a handoff says to those it concerns, where it goes if it may make no thread, and that it ends in time. */

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type Chat, until, World, type WorldOptions } from "../../../test/support/gateway-world.js";
import { SendError, ThreadRefused } from "../../adapter/adapter.js";
import type { HandoffStep } from "../../session/handoff.js";
import { LOCAL, platforms } from "../../session/platform.js";
import type { SessionEntry } from "../../session/session.js";
import { ScriptedAdapter, type ScriptedOptions } from "../../testing/scripted-adapter.js";
import { movedAwayText, takenAwayText } from "./words.js";

const [, HERE = "", THERE = ""] = platforms();
const OWNERS = { owners: { [HERE]: ["ann"], [THERE]: ["ann"] } };

let world: World;
let there: ScriptedAdapter;
let ann: Chat;
const open = async (scripted: ScriptedOptions = {}, options: WorldOptions = {}): Promise<void> => {
  there = new ScriptedAdapter({ platform: THERE, can: ["threads"], ...scripted });
  there.there.groups.add("team");
  world = await World.open({ beside: [there], people: OWNERS, ...options });
  ann = world.chat("ann");
};
const inThread = (threadId: string): Chat =>
  world.chat("ann", { chatId: "team", chatType: "thread", threadId }, there);
const handOff = async (where = `${THERE}:team`): Promise<string> => {
  const before = ann.told.length;
  await ann.ask(`/handoff ${where}`);
  const isOutcome = (text: string): boolean => /^(Moved|The handoff)/.test(text);
  await until(() => ann.told.slice(before).some(isOutcome));
  return ann.told.slice(before).find(isOutcome) ?? "";
};
/** As `baton handoff` asks. */
const handOffByScript = async (entry: SessionEntry, where: string, by = world): Promise<void> => {
  const { handoffs } = by.gateway;
  const { id } = await handoffs.ask(entry, await handoffs.placeNamed(where, null), null);
  await vi.waitFor(
    async () => expect((await world.store.handoffs.find(id, world.now))?.finishedAt).not.toBeNull(),
    { timeout: 30_000 },
  );
  expect((await world.store.handoffs.find(id, world.now))?.error).toBeNull();
};

beforeEach(() => open());
afterEach(() => world.close());

describe("the chat that a conversation leaves", () => {
  it("is told by a handoff of a script, and /resume brings it back", async () => {
    await ann.ask("/new Garden");
    await ann.ask("roses");
    const { sessionId } = await ann.session();
    await handOffByScript(await ann.session(), `${THERE}:team`);
    await until(() => ann.told.at(-1)?.includes("moved to") === true);
    expect(ann.told.at(-1)).toBe(
      '"Garden" moved to Discord. To bring it back, send /resume here; any other message starts a new session.',
    );
    expect(await ann.ask("/resume")).toMatch(/^Back in "Garden"/);
    expect((await ann.session()).sessionId).toBe(sessionId);
  });

  it("is told of a handoff later, if nobody serves it now", async () => {
    await world.close();
    await open({}, { shared: false });
    await ann.ask("/new Garden");
    await ann.ask("roses");
    await world.gateway.stop({ drainMs: 0 });
    const beside = await World.open({ on: world.store, platform: THERE, people: OWNERS });
    await handOffByScript(await ann.session(), `${THERE}:ann`, beside);
    await beside.close();
    expect(ann.told.at(-1)).not.toContain("moved");
    await world.restart();
    await until(() => ann.told.at(-1)?.includes("moved to Discord") === true);
  });

  it("is told of a /resume elsewhere later, if nobody serves it now", async () => {
    await world.close();
    await open({}, { shared: false });
    await ann.ask("/new Garden");
    await handOff();
    await until(() => inThread("thread-1").told.length === 2);
    await world.gateway.stop({ drainMs: 0 });
    const beside = await World.open({ on: world.store, platform: HERE, people: OWNERS });
    await beside.adapter.write({ ...ann.source, userId: "ann" }, "/resume", { messageId: "later" });
    expect(await beside.chat("ann").next(0)).toMatch(/^Back in "Garden"/);
    await beside.close();
    expect(inThread("thread-1").told).toHaveLength(2);
    await world.restart();
    await until(() => inThread("thread-1").told.at(-1)?.includes("moved to Telegram") === true);
  });

  it("reads who may bring it back, and so does who may not", async () => {
    const group = (user: string): Chat => world.chat(user, { chatId: "g", chatType: "group" });
    await group("ann").ask("/new Garden");
    await group("ann").ask("roses");
    await handOffByScript(await group("ann").session(), `${THERE}:team`);
    await until(() => group("ann").told.at(-1)?.includes("moved to") === true);
    expect(group("ann").told.at(-1)).toBe(
      '"Garden" moved to Discord. An owner of this gateway can bring it back with /resume here; any other message starts a new session.',
    );
    expect(await group("bob").ask("/resume")).toMatch(
      /^The conversation that was here moved to another chat, and it is not only yours\. An owner of this gateway can bring it back with \/resume here\.\n\n/,
    );
    expect(await group("ann").ask("/resume")).toMatch(/^Back in "Garden"/);
  });

  it("is told once if the handoff was asked for there", async () => {
    await ann.ask("roses");
    await handOff();
    await until(() => inThread("thread-1").told.length === 2);
    expect(ann.told.filter((text) => /moved to/i.test(text))).toHaveLength(1);
  });

  it("gets it back with /resume, also if somebody took it from there with /resume", async () => {
    await ann.ask("/new Garden");
    await ann.ask("roses");
    const { sessionId } = await ann.session();
    await handOff(`${THERE}:ann`);
    const moved = world.chat("ann", { threadId: "thread-1" }, there);
    await until(() => moved.told.length === 2);
    await ann.ask("/resume");
    await until(() => moved.told.at(-1)?.includes("moved to Telegram") === true);
    expect(await moved.ask("/resume")).toMatch(/^Back in "Garden"/);
    expect((await moved.session()).sessionId).toBe(sessionId);
    await until(() => ann.told.at(-1)?.includes("moved to Discord") === true);
    expect(await ann.ask("/resume")).toMatch(/^Back in "Garden"/);
  });

  it("reads which chat it is only at the terminal", async () => {
    await ann.ask("/new Garden");
    const entry = await ann.session();
    const to = { platform: THERE, chatId: "team", chatType: "thread", threadId: "7" } as const;
    expect(movedAwayText(entry, to)).toMatch(/^"Garden" moved to Discord\. To bring it back, /);
    const other = { ...to, platform: entry.platform };
    expect(movedAwayText(entry, other)).toMatch(/^"Garden" moved to another chat on Telegram\. To bring /);
    expect(takenAwayText({ ...entry, origin: to })).toMatch(
      /^"Garden" moved to Discord, .* \(`discord:team:7`\)\. To bring it back, send \/resume \w+; /,
    );
    const terminal = { platform: LOCAL, chatId: "cli-2", chatType: "dm" } as const;
    expect(takenAwayText({ ...entry, origin: terminal })).toMatch(/^"Garden" moved to another terminal\. /);
  });
});

describe("a place where the bot may make no threads", () => {
  const forbid = (): void => {
    Object.assign(there, {
      createThread: async () => {
        throw new ThreadRefused("The bot may not make threads.");
      },
    });
  };

  it("is the chat itself, and both sides read why", async () => {
    forbid();
    await ann.ask("/new Garden");
    const { sessionId } = await ann.session();
    expect(await handOff()).toBe(
      "Moved to Discord, group: team (`discord:team`). It has no thread of its own. The bot may not make threads. Continue there. To bring it back, send /resume here.",
    );
    const team = world.chat("ann", { chatId: "team", chatType: "group" }, there);
    expect((await team.session()).sessionId).toBe(sessionId);
    await until(() => team.told.length === 2);
    expect(team.told[0]).toMatch(/ To continue, mention me\. It has no thread of its own\. The bot may not/);
  });

  it("saves the conversation that was there, and says so", async () => {
    forbid();
    const team = world.chat("ann", { chatId: "team", chatType: "group" }, there);
    await team.ask("before");
    const before = await team.session();
    await ann.ask("roses");
    await handOff();
    await until(() => team.told.some((text) => text.includes("continues here")));
    expect(team.told.find((text) => text.includes("continues here"))).toContain(
      "The conversation that was here before is saved: see /sessions.",
    );
    expect(await world.sessions.get(before.sessionId)).toMatchObject({ endReason: "switched" });
  });
});

describe("a handoff to a place where the conversation was before", () => {
  const thereAndBack = async (): Promise<void> => {
    await ann.ask("/new Garden");
    await handOff();
    await until(() => inThread("thread-1").told.length === 2);
    await ann.ask("/resume");
    await until(() => inThread("thread-1").told.length === 3);
  };

  it("uses its thread again", async () => {
    await thereAndBack();
    const { sessionId } = await ann.session();
    expect(await handOff()).toContain("(`discord:team:thread-1`)");
    expect((await inThread("thread-1").session()).sessionId).toBe(sessionId);
    expect(there.there.threads.size).toBe(1);
  });

  it("makes another thread for another conversation, and if another one is in that thread now", async () => {
    await thereAndBack();
    const { sessionId } = await ann.session();
    await inThread("thread-1").ask("something else");
    expect(await handOff()).toContain("(`discord:team:thread-2`)");
    expect((await inThread("thread-2").session()).sessionId).toBe(sessionId);
    expect((await inThread("thread-1").session()).sessionId).not.toBe(sessionId);
    await ann.ask("/new Kitchen");
    expect(await handOff()).toContain("(`discord:team:thread-3`)");
  });

  it("makes another thread if that one is gone", async () => {
    await world.close();
    let isGone = false;
    await open({
      onSend: ({ onlyThere, address }) => {
        if (isGone && onlyThere && address.threadId === "thread-1")
          throw new SendError("permanent", "That thread is not there any more.");
      },
    });
    await thereAndBack();
    const { sessionId } = await ann.session();
    isGone = true;
    expect(await handOff()).toContain("(`discord:team:thread-2`)");
    const moved = inThread("thread-2");
    expect((await moved.session()).sessionId).toBe(sessionId);
    await until(() => moved.told.length === 2);
    expect(moved.told[0]).toMatch(/^"Garden" continues here/);
    expect(world.problems).toEqual([expect.stringContaining("That thread is not there any more.")]);
  });
});

describe("a gateway that ends while it goes back to a thread", () => {
  /** The next commit of this step fails, as if the process had ended before it. */
  const dieBefore = (kind: HandoffStep["kind"], nth = 1): void => {
    const { handoffs } = world.store;
    const step = handoffs.step.bind(handoffs);
    let seen = 0;
    vi.spyOn(handoffs, "step").mockImplementation((id, wish, ...rest) => {
      if (wish.kind === kind && ++seen === nth) throw new Error("The process ended.");
      return step(id, wish, ...rest);
    });
  };
  let isGone = false;
  const begun = async (): Promise<void> => {
    await world.close();
    isGone = false;
    await open({
      onSend: ({ onlyThere, address }) => {
        if (isGone && onlyThere && address.threadId === "thread-1")
          throw new SendError("permanent", "That thread is not there any more.");
      },
    });
    await ann.ask("/new Garden");
    await handOff();
    await until(() => inThread("thread-1").told.length === 2);
    await ann.ask("/resume");
    await until(() => inThread("thread-1").told.length === 3);
  };

  it.each(["aim", "announce", "complete"] as const)(
    "before it %ss: the next one goes there too, and says so once",
    async (kind) => {
      await begun();
      const { sessionId } = await ann.session();
      dieBefore(kind);
      expect(await handOff()).toContain("(`discord:team:thread-1`)");
      const thread = inThread("thread-1");
      expect((await thread.session()).sessionId).toBe(sessionId);
      await until(() => thread.told.length === 5);
      expect(thread.told.filter((text) => text.includes("continues here"))).toHaveLength(2);
      expect(there.there.threads.size).toBe(1);
    },
  );

  it("with a new thread in its hands, because the old one is gone: it makes no third one", async () => {
    await begun();
    const { sessionId } = await ann.session();
    isGone = true;
    dieBefore("aim", 2);
    expect(await handOff()).toMatch(
      / failed: A gateway stopped while creating a thread there, .* Ask again\. /,
    );
    expect(there.there.threads.size).toBe(2);
    expect((await ann.session()).sessionId).toBe(sessionId);
    expect(await handOff()).toContain("(`discord:team:thread-3`)");
  });
});

describe("a platform that never answers", () => {
  const impatient = { gateway: { handoffWaitMs: 1_000, leaseMs: 1_000 } };
  const never = (): Promise<never> => new Promise(() => {});

  it("does not keep the asker waiting: not with the thread", async () => {
    await world.close();
    await open({}, impatient);
    await ann.ask("roses");
    Object.assign(there, { createThread: never });
    await ann.ask(`/handoff ${THERE}:team`);
    world.now += 10_000;
    await until(() => ann.told.some((text) => text.startsWith("The handoff")));
    expect(ann.told.at(-1)).toMatch(
      / failed: The platform did not answer in time\. The conversation stays here/,
    );
    expect(await ann.ask("still here")).toBe("still here (3)");
  });

  it("nor with the first message", async () => {
    await world.close();
    let isBegun = false;
    let end: () => void = () => {};
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    const onSend = (): Promise<void> => {
      isBegun = true;
      return ended;
    };
    await open({ onSend }, impatient);
    await ann.ask("roses");
    await ann.ask(`/handoff ${THERE}:team`);
    await until(() => isBegun);
    world.now += 10_000;
    await until(() => ann.told.some((text) => text.startsWith("The handoff")));
    expect(ann.told.at(-1)).toMatch(/ failed: I could not write there in time\. The conversation stays here/);
    end();
    const thread = inThread("thread-1");
    await until(() => thread.told.length === 2);
    expect(thread.told[1]).toMatch(/^The conversation does not continue here after all: /);
  });
});
