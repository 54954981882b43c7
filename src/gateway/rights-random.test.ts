/**
 * Nobody gains a right: random authors, actors, commands and places against a small model of who may what.
 *
 * 10,000 cases drive the decisions themselves (`authorize`, `Requests`, `Approvals`, `toolsFor`, `People.link`), with
 * people, links and tool lists made up each time; rights.test.ts drives a whole gateway.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { SessionKey } from "../session/session-key.js";
import type { SessionSource } from "../session/source.js";
import { type Message, parseMessage } from "../session/transcript.js";
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
            const approvals = new Approvals(given.lists);
            const question = approvals.ask(
              { key: KEY, author: runsAs, tool: "terminal", danger: DANGER },
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
