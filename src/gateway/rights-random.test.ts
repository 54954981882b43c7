/**
 * Nobody gains a right: random authors, actors, commands and places against a small model of who may what.
 *
 * 10,000 cases drive the decisions themselves (`authorize`, `Requests`, `Approvals`, `toolsFor`, `People.link`), with
 * people, links and tool lists made up each time. 300 journeys drive a whole gateway over a store in memory, and each
 * author with each actor one more of a handoff, whose messages move along, and one of a link.
 */

import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Chat, until, World } from "../../test/support/gateway-world.js";
import { questionNumber } from "../../test/support/question-number.js";
import type { Agent, AgentEvent, Tool } from "../agent/agent.js";
import { runToolCall } from "../agent/tool-call.js";
import type { SessionKey } from "../session/session-key.js";
import type { SessionSource } from "../session/source.js";
import { type Message, parseMessage } from "../session/transcript.js";
import { ScriptedAdapter } from "../testing/scripted-adapter.js";
import { Approvals } from "./approvals.js";
import { type Access, authorize, listedRoles } from "./authorize.js";
import { People } from "./people.js";
import type { PeopleStore, Person } from "./people-store.js";
import { type Role, type ToolLists, toolsFor } from "./permissions.js";
import { authorIn, Requests, sourceOf } from "./requests.js";

const HERE = "telegram";
const THERE = "discord";
/** The last one stands in no list: it is what only an unlimited owner has. */
const TOOLS = ["terminal", "read_file", "fetch_url", "send_message", "unlisted"] as const;
const RANKS: readonly Role[] = ["guest", "member", "owner"];

type Lists = Required<Omit<ToolLists, "ask">>;

/** The model. A person is a rank, perhaps none, and the names they have; what they may is a set of words. */
interface Human {
  readonly role: Role | null;
  readonly ids: readonly string[];
}

function powers({ role, ids }: Human, platforms: readonly string[], lists: Lists): Set<string> {
  if (role === null) return new Set();
  const own = ids.flatMap((id) => (lists.byPerson[id] ? [lists.byPerson[id]] : []));
  const ofRole = { guest: lists.guests, member: lists.members, owner: TOOLS as readonly string[] }[role];
  const places = platforms.flatMap((platform) =>
    lists.byPlatform[platform] ? [lists.byPlatform[platform]] : [],
  );
  const lawful = [...(own.length > 0 ? own : [ofRole]), ...places];
  const tools = TOOLS.filter((tool) => lawful.every((list) => list.includes(tool)));
  return new Set([...tools, ...RANKS.slice(0, RANKS.indexOf(role) + 1)]);
}

const includes = (all: ReadonlySet<string>, some: ReadonlySet<string>) =>
  [...some].every((each) => all.has(each));

const listedTools = fc.subarray(TOOLS.slice(0, -1));
const someLists: fc.Arbitrary<Lists> = fc.record({
  guests: listedTools,
  members: listedTools,
  byPlatform: fc.dictionary(fc.constantFrom(HERE, THERE), listedTools),
  byPerson: fc.dictionary(fc.constantFrom(`${HERE}:0`, `${HERE}:1`, `${THERE}:0`, `${THERE}:2`), listedTools),
});

const someHumans = fc
  .array(
    fc.record({
      role: fc.option(fc.constantFrom(...RANKS)),
      places: fc.subarray([HERE, THERE], { minLength: 1 }),
    }),
    {
      minLength: 3,
      maxLength: 3,
    },
  )
  .map((humans) =>
    humans.map(({ role, places }, n): Human => ({ role, ids: places.map((at) => `${at}:${n}`) })),
  );

const COMMANDS = ["stop", "steer", "retry", "undo", "branch", "approve", "handoff", "moved", "link"] as const;

const someCase = fc.record({
  humans: someHumans,
  lists: someLists,
  command: fc.constantFrom(...COMMANDS),
  actor: fc.nat(2),
  authors: fc.array(fc.nat(2), { minLength: 1, maxLength: 3 }),
  wroteAt: fc.nat(1),
  inPrivate: fc.boolean(),
});

describe("10,000 cases of author, actor, command and place", () => {
  it("nobody touches, repeats or approves what they could not have asked for, and requests keep their rights", async () => {
    const seen = { may: 0, mayNot: 0 };
    await fc.assert(
      fc.asyncProperty(someCase, async (given) => {
        const world = new Decisions(given.humans, given.lists);
        const actor = given.humans[given.actor] as Human;
        const [author, ...others] = given.authors.map((n) => given.humans[n] as Human) as [Human, ...Human[]];
        const who = await world.access(actor, actor.ids[0] as string, "room");
        if (given.command === "link") return world.link(author, actor);
        if (!who.allowed) {
          expect(actor.role).toBeNull();
          return;
        }
        const here = who.source.platform;
        const wrote = author.ids[given.wroteAt % author.ids.length] as string;
        const by = world.source(wrote, given.inPrivate ? wrote : "elsewhere");
        const item = { source: who.source, by };
        const origin = by.platform;
        const theirs = powers(author, [here, origin], given.lists);
        const has = powers(actor, [here], given.lists);
        const may = author === actor || includes(has, theirs);
        const tally = (told: boolean, model: boolean) => {
          expect(told).toBe(model);
          seen[model ? "may" : "mayNot"] += 1;
        };

        // Wherever it is answered and whoever asked it again, it has no more than its author had where they wrote it.
        const runsAs = await world.requests.authorOf(item);
        expect(world.toolsOf(runsAs).sort()).toEqual(TOOLS.filter((tool) => theirs.has(tool)).sort());

        switch (given.command) {
          case "stop":
          case "steer":
          case "handoff":
          case "moved":
            return tally(await passes(world.requests.mustForItems(who, [item as never])), may);
          case "approve": {
            if (!runsAs.allowed) return;
            const approvals = new Approvals(given.lists, () => 0, NO_MEMORY);
            const question = approvals.ask(
              { key: KEY, number: 1, author: runsAs, tool: "terminal", danger: DANGER },
              new AbortController().signal,
              9e5,
            );
            const open = approvals.openTo(KEY, who).length === 1;
            approvals.answer(question.question, "denied");
            return tally(open, (author === actor || actor.role === "owner") && includes(has, theirs));
          }
          case "retry":
          case "undo":
          case "branch": {
            const range = await Promise.all(
              [author, ...others].map((each) => world.said(each, given.wroteAt)),
            );
            const model = [author, ...others].every((each) => {
              const wroteOn = platformOf(each.ids[given.wroteAt % each.ids.length] as string);
              return each === actor || includes(has, powers(each, [here, wroteOn], given.lists));
            });
            const told = world.requests.mustForMessages(who, range, { owner: "chat:room" }, who.source);
            return tally(await passes(told), model);
          }
        }
      }),
      { numRuns: 10_000 },
    );
    expect(Math.min(seen.may, seen.mayNot)).toBeGreaterThan(1_000); // It has met both, often.
  });
});

const KEY = "agent:main:telegram:group:room" as SessionKey;
const DANGER = { reason: "deletes", what: "rm" };
const NO_MEMORY = { read: async () => null, write: async () => {} };

/** The decisions as the gateway makes them, over people who are only listed. */
class Decisions {
  readonly requests: Requests;
  readonly #humans: readonly Human[];
  readonly #lists: ToolLists;

  constructor(humans: readonly Human[], lists: ToolLists) {
    this.#humans = humans;
    this.#lists = lists;
    this.requests = new Requests({ access: async (source) => this.#decide(source) }, lists);
  }

  source(id: string, chatId: string): SessionSource {
    const userId = id.slice(id.indexOf(":") + 1);
    const chatType = chatId === id ? "dm" : "group";
    return { platform: platformOf(id), chatId, chatType, userId, userName: "Ada" };
  }

  async access(_human: Human, id: string, chatId: string): Promise<Access> {
    return this.#decide(this.source(id, chatId));
  }

  toolsOf(access: Access): string[] {
    return access.allowed
      ? toolsFor(
          access,
          TOOLS.map((name) => ({ name })),
          this.#lists,
        ).map(({ name }) => name)
      : [];
  }

  /** A message of theirs as the transcript has it, copied as a branch does. */
  async said(human: Human, at: number): Promise<Message> {
    const source = this.source(human.ids[at % human.ids.length] as string, "room");
    const author = authorIn({ source }, this.#decide(source));
    const kept = parseMessage({ role: "user", content: "do it", name: "Ada", author });
    if (kept.role !== "user" || !kept.author) throw new Error("It has an author.");
    expect(authorIn({ source: sourceOf(kept.author) as SessionSource }, this.#decide(source))).toEqual(
      kept.author,
    );
    return kept;
  }

  /** Who shows a code gains nothing, and who types it becomes them, never more. */
  async link(shown: Human, typed: Human): Promise<void> {
    if (shown === typed) return;
    let joined = false;
    const store = {
      salt: async () => "",
      lockedUntil: async () => null,
      link: async (_typed: string, _hash: string, mayJoin: (a: unknown, b: unknown) => boolean) => {
        joined = mayJoin(personOf(shown), personOf(typed));
        return { kind: "refused" };
      },
    } as unknown as PeopleStore;
    const people = new People(store, {}, { clock: () => 0, hash: async () => "", toolLists: this.#lists });
    const id = typed.ids[0] as string;
    await people.link(id, "CODE", { seenByOthers: false, role: typed.role });
    if (!joined) return;
    const both: Human = { role: shown.role, ids: [...shown.ids, ...typed.ids] };
    for (const platform of [HERE, THERE]) {
      const before = powers(shown, [platform], this.#lists as Lists);
      expect(includes(before, powers(both, [platform], this.#lists as Lists))).toBe(true);
    }
    const rank = (role: Role | null) => (role === null ? -1 : RANKS.indexOf(role));
    expect(rank(typed.role)).toBeLessThanOrEqual(rank(shown.role));
  }

  #decide(source: SessionSource): Access {
    const id = `${source.platform}:${source.userIdAlt ?? source.userId}`;
    const human = this.#humans.find(({ ids }) => ids.includes(id));
    return authorize(source, listedRoles({}), human?.role ? personOf(human) : null);
  }
}

function personOf({ role, ids }: Human): Person {
  return {
    id: "p",
    name: null,
    identities: ids.map((identity) => ({ identity, role })),
  } as unknown as Person;
}

function platformOf(id: string): string {
  return id.slice(0, id.indexOf(":"));
}

function passes(judged: Promise<void>): Promise<boolean> {
  return judged.then(
    () => true,
    () => false,
  );
}

// A whole gateway.

/** By name: their role, and what tools they have. */
const ALL = ["terminal", "read_file", "fetch_url"];
const PEOPLE: Readonly<Record<string, { readonly role: Role; readonly tools: readonly string[] }>> = {
  boss: { role: "owner", tools: [...ALL, "unlisted"] },
  limited: { role: "owner", tools: ["read_file"] },
  member: { role: "member", tools: ["read_file", "fetch_url"] },
  eve: { role: "guest", tools: ["fetch_url"] },
  mallory: { role: "guest", tools: ["fetch_url"] },
  handy: { role: "guest", tools: ["terminal"] },
};
const NAMES = Object.keys(PEOPLE);

function mayModel(actor: string, author: string): boolean {
  const [a, b] = [PEOPLE[actor], PEOPLE[author]];
  if (!a || !b) throw new Error("Nobody is called so.");
  const isAbove =
    RANKS.indexOf(a.role) >= RANKS.indexOf(b.role) && b.tools.every((tool) => a.tools.includes(tool));
  return actor === author || isAbove;
}

/** The same people have these on both platforms. */
const LISTS: Lists = {
  guests: ["fetch_url"],
  members: ["read_file", "fetch_url"],
  byPlatform: {},
  byPerson: Object.fromEntries(
    [HERE, THERE].flatMap((at) => [
      [`${at}:limited`, ["read_file"]],
      [`${at}:handy`, ["terminal"]],
    ]),
  ),
};

const UNLIMITED = { messagesPerMinute: "none", turnsAtOnce: "none", modelCallsPerDay: "none" } as const;
const REFUSED = /someone who may do more than you/;
const CHANGES = [
  "/new",
  "/reset",
  "/branch",
  "/title Mine",
  "/undo 1",
  "/undo 2",
  "/undo 3",
  "/retry",
] as const;

const someJourney = fc.record({
  wrote: fc.array(fc.constantFrom(...NAMES), { minLength: 2, maxLength: 2 }),
  runs: fc.option(fc.constantFrom(...NAMES)),
  waits: fc.option(fc.constantFrom(...NAMES)),
  actor: fc.constantFrom(...NAMES),
  does: fc.constantFrom(...CHANGES, "/stop", "/steer faster", "hello", "approve"),
});

describe("300 journeys through a gateway", () => {
  let world: World;
  let done: string[];
  let given: { readonly said: string; readonly tools: readonly string[] }[];
  const asker: Agent = {
    name: "asker",
    async *run(turn): AsyncIterable<AgentEvent> {
      const said = (turn.history.at(-1)?.content ?? "").replace(/^\[[^\]]*\] /, "");
      given.push({ said, tools: turn.tools.map(({ name }) => name) });
      if (!said.startsWith("rm")) return yield* world.agent.run(turn);
      const call = { id: "c", name: "terminal", arguments: JSON.stringify({ line: said }) };
      yield { kind: "tool call", call };
      const content = await runToolCall(call, turn.tools, turn.signal);
      const message = { role: "assistant" as const, content: "", toolCalls: [call] };
      yield { kind: "message", message, results: [{ role: "tool", toolCallId: "c", content }] };
      yield { kind: "message", message: { role: "assistant", content: `So: ${content}` }, results: [] };
      yield { kind: "done", stopped: turn.signal.aborted };
    },
  };
  const tools = [...ALL, "unlisted"].map(
    (name): Tool => ({
      name,
      description: "",
      parameters: {},
      danger: (args) => ({ reason: "deletes", what: (args as { line: string }).line }),
      run: async (args) => {
        done.push((args as { line: string }).line);
        return "done";
      },
    }),
  );
  const named = (role: Role) => {
    const ids = NAMES.filter((name) => PEOPLE[name]?.role === role);
    return { [HERE]: ids, [THERE]: ids };
  };
  const beside = new ScriptedAdapter({ platform: THERE, shared: true });
  beforeAll(async () => {
    world = await World.open({
      platform: HERE,
      beside: [beside],
      people: { owners: named("owner"), allow: named("member"), guests: named("guest") },
      gateway: {
        agent: asker,
        tools: () => tools,
        limits: { guests: UNLIMITED, members: UNLIMITED },
        toolLists: LISTS,
      },
    });
  });
  afterAll(() => world.close());

  const idle = (chat: Chat) => world.gateway.lane(chat.key).idle();
  async function told(chat: Chat, text: string, what = /./): Promise<string> {
    const before = chat.told.length;
    await chat.write(text);
    await until(() => chat.told.slice(before).some((each) => what.test(each)));
    return chat.told.slice(before).find((each) => what.test(each)) ?? "";
  }
  const state = async (chat: Chat) => ({
    session: (await chat.session()).sessionId,
    title: (await chat.session()).title,
    transcript: await chat.transcript(),
    runs: world.gateway.lane(chat.key).run?.turn.id,
  });

  let rooms = 0;
  it("what the model refuses changes nothing, and what it allows is done", async () => {
    await fc.assert(
      fc.asyncProperty(someJourney, async ({ wrote, runs, waits, actor, does }) => {
        done = [];
        given = [];
        const place = { chatId: `room ${rooms++}`, chatType: "group" as const };
        const room = (name: string) => world.chat(name, place);
        const me = room(actor);
        const boss = room("boss");
        const authors = [...wrote];
        for (const name of wrote) await room(name).ask("hello");
        await idle(me);
        if (does === "approve") return approve(room, wrote[0] as string, actor);
        if (runs) {
          await room(runs).begin("wait");
          authors.push(runs);
        }
        if (runs && waits) await told(room(waits), "/queue later", /Queued/);
        const open = runs ? [runs, ...(waits ? [waits] : [])] : [];
        const before = await state(me);

        if (does === "hello" || does === "/steer faster") {
          const may = runs !== null && mayModel(actor, runs);
          await me.write(does);
          if (runs && !may) {
            await told(me, "/status", /working on an answer/);
            expect(await state(me)).toEqual(before);
            await told(boss, "/stop", /Stopped/);
          }
        } else {
          const touched = does === "/stop" ? open.slice(0, 1) : [...open, ...takenBack(does, authors)];
          const may = touched.every((name) => mayModel(actor, name));
          const turns = given.length;
          const answer = await told(me, does, /^(?!.*\(\d+\)$)/s);
          expect(REFUSED.test(answer)).toBe(!may);
          if (!may) expect(await state(me)).toEqual(before);
          else if (does === "/retry") {
            const repeated = () => given.slice(turns).find(({ said }) => said === (runs ? "wait" : "hello"));
            await until(() => repeated() !== undefined);
            expect(toolsOf(repeated())).toEqual(modelTools(authors.at(-1) as string));
          }
        }
        const lane = world.gateway.lane(me.key);
        while (!lane.isEmpty) {
          if (lane.run) await boss.write("/stop");
          await new Promise((resolve) => setImmediate(resolve));
        }
      }),
      { numRuns: 300 },
    );
  }, 600_000);

  const pairs = NAMES.flatMap((author) => NAMES.map((actor) => [author, actor] as const));
  /** A private chat that nobody has used yet. */
  const fresh = (name: string, adapter: ScriptedAdapter) =>
    world.chat(name, { chatId: `${name}-${rooms++}` }, adapter);

  it.each(pairs)("what %s takes to %s moves with the rights of who wrote it", async (author, actor) => {
    [done, given] = [[], []];
    const [own, there] = [fresh(author, world.adapter), fresh(actor, beside)];
    const line = `rm ${rooms}`;
    await there.ask("hello");
    await own.ask("hello");
    const move = `/handoff ${THERE}:${there.source.chatId} --now`;
    if (PEOPLE[author]?.role !== "owner") {
      expect(await told(own, move, /^There is no chat|Mov/)).toMatch(/^There is no chat/);
      return;
    }
    await own.begin("wait");
    await told(own, `/queue ${line}`, /Queued/);
    await told(own, move, /Moved/);
    const may = mayModel(actor, author);
    const isAsked =
      PEOPLE[author]?.tools.includes("terminal") === true && PEOPLE[actor]?.role === "owner" && may;
    await decide(there, 0, line, isAsked);

    const before = await state(there);
    const [turns, texts] = [given.length, there.told.length];
    expect(REFUSED.test(await told(there, "/retry"))).toBe(!may);
    if (may) await decide(there, texts, line, isAsked);
    else expect(await state(there)).toEqual(before);
    expect(given.slice(turns).map(toolsOf)).toEqual(may ? [modelTools(author)] : []);
  });

  it.each(pairs)("who shows a code gains nothing: %s, whose code %s types", async (shown, typed) => {
    given = [];
    const [one, other] = [fresh(shown, world.adapter), fresh(typed, beside)];
    const [, code] = /Your code is (\w+)\./.exec(await told(one, "/link", /Your code/)) ?? [];
    const answer = await told(other, `/link ${code}`, /This account is now linked with|I can't link/);
    const role = PEOPLE[shown]?.role ?? null;
    const before = powers({ role, ids: [`${HERE}:${shown}`] }, [], LISTS);
    const joined = powers({ role, ids: [`${HERE}:${shown}`, `${THERE}:${typed}`] }, [], LISTS);
    const may = before.has(PEOPLE[typed]?.role ?? "") && includes(before, joined);
    expect(/^This account is now linked with/.test(answer)).toBe(may);

    for (const chat of [one, other]) await chat.ask("hello");
    const model = (name: string) => (may ? toolsOf({ tools: [...joined] }) : modelTools(name));
    expect(given.map(toolsOf)).toEqual([model(shown), model(typed)]);
    const { people } = world.gateway;
    if (may) await people.store.unlink(`${THERE}:${typed}`, people.newId(), world.now);
  });

  const toolsOf = (turn: { readonly tools: readonly string[] } | undefined): string[] =>
    (turn?.tools ?? []).filter((tool) => [...ALL, "unlisted"].includes(tool)).sort();
  const modelTools = (name: string): string[] => [...(PEOPLE[name]?.tools ?? [])].sort();

  /** A request that came to a private chat: it runs only if its author has the tool and who is there may allow it. */
  async function decide(chat: Chat, from: number, line: string, isAsked: boolean): Promise<void> {
    const outcome = () => chat.told.slice(from).find((text) => /^So: |^Allow\?/m.test(text));
    await until(() => outcome() !== undefined);
    const number = questionNumber(outcome() ?? "");
    expect(number !== undefined).toBe(isAsked);
    if (isAsked) await told(chat, `/approve ${number}`, /^So: /);
    expect(done.splice(0)).toEqual(isAsked ? [line] : []);
    await idle(chat);
  }

  /** Only those whose author the actor may repeat or take back. */
  function takenBack(does: string, authors: readonly string[]): readonly string[] {
    if (does === "/retry") return authors.slice(-1);
    const count = Number(/^\/undo (\d)$/.exec(does)?.[1] ?? 0);
    return count === 0 || count > authors.length ? [] : authors.slice(-count); // More than there are is not done.
  }

  async function approve(room: (name: string) => Chat, author: string, actor: string): Promise<void> {
    const line = `rm ${rooms}`;
    if (!PEOPLE[author]?.tools.includes("terminal")) {
      await told(room(author), line, /So: /);
      expect(done).toEqual([]);
      return;
    }
    const question = await told(room(author), line, /^Allow\?/m);
    const number = questionNumber(question);
    const isAsked = author === actor || PEOPLE[actor]?.role === "owner";
    const may = isAsked && mayModel(actor, author);
    expect(await told(room(actor), `/approve ${number}`, /^Approved|^Nothing waits/)).toMatch(
      may ? /^Approved/ : /^Nothing waits/,
    );
    if (may) await until(() => room(author).told.some((text) => text.startsWith("So: ")));
    expect(done).toEqual(may ? [line] : []);
    if (!may) await told(room(author), `/deny ${number}`, /So: /);
    await idle(room(author));
  }
});
