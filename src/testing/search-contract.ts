/**
 * What search must find, as a vitest suite for every session store: random conversations, queries, filters and viewers
 * against an oracle that looks at all messages. It is a part of `sessionStoreContract`.
 */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { mayAccess, OWNER, type Viewer, viewerOf } from "../session/access.js";
import type { SessionId } from "../session/ids.js";
import { platforms } from "../session/platform.js";
import type { SessionEntry } from "../session/session.js";
import { Sessions } from "../session/sessions.js";
import type { SessionSource } from "../session/source.js";
import type { SearchHit, SearchOptions } from "../session/store.js";
import type { Message, StoredMessage } from "../session/transcript.js";
import type { StoreFixture } from "./store-fixture.js";

/** Two platforms that any installation has; which ones does not matter. */
const [, HERE = "", THERE = ""] = platforms();
const DAY = 86_400_000;
const NOON = Date.UTC(2026, 0, 10, 12);

const dm = (platform: string, userId: string): SessionSource => ({
  platform,
  chatId: userId,
  chatType: "dm",
  userId,
});
const team = (userId: string): SessionSource => ({ ...dm(HERE, userId), chatId: "team", chatType: "group" });
const [ann, bob] = [dm(HERE, "ann"), dm(HERE, "bob")];
const user = (content: string, at = NOON): Message => ({ role: "user", content, at });
const code = (name: string) => expect.objectContaining({ code: name });

export function searchContract(name: string, createFixture: () => Promise<StoreFixture>): void {
  describe(`search: ${name}`, () => {
    let fixture: StoreFixture;
    let sessions: Sessions;
    beforeEach(async () => {
      fixture = await createFixture();
      sessions = new Sessions(await fixture.open(), { clock: () => NOON });
    });
    afterEach(() => fixture.dispose());

    const found = async (query: string, options: SearchOptions, viewer: Viewer = OWNER) =>
      (await sessions.search(query, viewer, options)).items.map(({ snippet }) => snippet);

    it.each([1, 2, 3, 4, 5])(
      "finds what an oracle finds, whoever looks and however they filter (seed %i)",
      async (seed) => {
        const world = new SearchWorld(sessions, randomFrom(seed));
        for (let round = 0; round < 6; round++) {
          for (let step = 0; step < 8; step++) await world.change();
          if (round % 2 === 1) await sessions.indexAll();
          for (let asked = 0; asked < 12; asked++) {
            const { query, viewer, options } = world.question();
            const hits = await allPages(sessions, query, viewer, options);
            expect(hits.map(briefly), JSON.stringify({ query, viewer, options })).toEqual(
              await world.expected(query, viewer, options),
            );
          }
        }
      },
    );

    describe.each([
      ["before it is indexed", false],
      ["once it is indexed", true],
    ])("%s", (_, isIndexed) => {
      const indexed = async () => {
        if (isIndexed) await sessions.indexAll();
      };

      it("keeps to the platform where a session is now", async () => {
        const { entry } = await sessions.receive(ann, user("garden of ann"));
        await sessions.receive(dm(THERE, "bob"), user("garden of bob"));
        await indexed();
        expect(await found("garden", { platform: HERE })).toEqual(["garden of ann"]);
        await sessions.switchTo(dm(THERE, "ann"), entry.sessionId);
        expect(await found("garden", { platform: HERE })).toEqual([]);
        expect(await found("garden", { platform: THERE })).toEqual(["garden of bob", "garden of ann"]);
        expect(await found("garden", { platform: "nowhere" })).toEqual([]);
      });

      it("takes messages from one time on and before another", async () => {
        const times = [-DAY, -1, 0, 1, DAY, 40 * DAY, 400 * DAY, 4_000 * DAY];
        for (const [n, at] of times.entries()) await sessions.receive(ann, user(`word${n} all`, NOON + at));
        await indexed();
        const between = async (after?: number, before?: number) =>
          found("all", {
            ...(after === undefined ? {} : { after: NOON + after }),
            ...(before === undefined ? {} : { before: NOON + before }),
          });
        const named = (...numbers: number[]) => numbers.map((n) => `word${n} all`);
        expect(await between(0)).toEqual(named(7, 6, 5, 4, 3, 2));
        expect(await between(undefined, 0)).toEqual(named(1, 0));
        expect(await between(0, 1)).toEqual(named(2));
        expect(await between(-DAY, 400 * DAY)).toEqual(named(5, 4, 3, 2, 1, 0));
        expect(await between(DAY, DAY)).toEqual([]);
        expect(await between(DAY, 0)).toEqual([]);
        expect(await between(-1e15, 1e15)).toEqual(named(7, 6, 5, 4, 3, 2, 1, 0));
      });

      it("takes messages of one role or several", async () => {
        const { entry } = await sessions.receive(ann, user("garden"));
        await sessions.record(entry.sessionId, [
          { role: "assistant", content: "garden", toolCalls: [{ id: "a", name: "dig", arguments: "{}" }] },
          { role: "tool", toolCallId: "a", name: "dig", content: "garden" },
          { role: "system", content: "garden" },
        ]);
        await indexed();
        const seqs = async (role: SearchOptions["role"]) =>
          (await sessions.search("garden", OWNER, role === undefined ? {} : { role })).items.map(
            ({ seq }) => seq,
          );
        expect(await seqs(undefined)).toEqual([4, 3, 2, 1]);
        expect(await seqs("tool")).toEqual([3]);
        expect(await seqs(["user", "system"])).toEqual([4, 1]);
        expect(await seqs([])).toEqual([]);
      });

      it("finds sessions that moved to a platform, however many there are", async () => {
        for (let n = 0; n < 203; n++) {
          const { entry } = await sessions.receive(dm(HERE, `person${n}`), user("garden"));
          await sessions.switchTo(dm(THERE, `person${n}`), entry.sessionId);
        }
        await indexed();
        const hits = await allPages(sessions, "garden", OWNER, { platform: THERE, limit: 100 });
        expect(hits).toHaveLength(203);
      });
    });

    it("shows the messages beside a hit: active ones of its session, cleaned and cut, and results of tools", async () => {
      const { entry } = await sessions.receive(ann, user("first"));
      const { sessionId } = entry;
      await sessions.record(sessionId, [{ role: "assistant", content: "gone" }]);
      await sessions.rewrite(sessionId, [
        user("first"),
        {
          role: "assistant",
          content: "",
          toolCalls: [{ id: "a", name: "dig", arguments: '{"where":"bed"}' }],
        },
        { role: "tool", toolCallId: "a", name: "dig", content: "\u001b[31mtwo\n worms\u202e" },
        { role: "assistant", content: "needle" },
      ]);
      await sessions.receive(bob, user("bob's own"));
      await sessions.append(sessionId, user(`${"long ".repeat(100)}end`));
      const hitWith = async (neighbours: number, viewer: Viewer) => {
        const [hit] = (await sessions.search("needle", viewer, { neighbours })).items;
        return { before: hit?.before.map(({ text }) => text), after: hit?.after.map(({ text }) => text) };
      };
      const long = `${"long ".repeat(31)}long…`;
      expect(await hitWith(0, OWNER)).toEqual({ before: [], after: [] });
      expect(await hitWith(1, OWNER)).toEqual({ before: ["dig two worms"], after: [long] });
      expect(await hitWith(3, viewerOf(ann))).toEqual({
        before: ["first", "dig where bed", "dig two worms"],
        after: [long],
      });
      const [hit] = (await sessions.search("needle", OWNER, { neighbours: 1 })).items;
      expect(hit?.before).toMatchObject([{ role: "tool", seq: (hit?.seq ?? 0) - 1, at: NOON }]);
      expect(await sessions.search("needle", viewerOf(bob), { neighbours: 3 })).toMatchObject({ items: [] });
    });

    it.each([
      [{ role: "robot" }],
      [{ after: Number.NaN }],
      [{ before: "2026" }],
      [{ neighbours: 4 }],
      [{ neighbours: 0.5 }],
      [{ platform: 1 }],
    ])("refuses options that are none: %j", async (options) => {
      await expect(sessions.search("x", OWNER, options as never)).rejects.toThrow(code("invalid_search"));
    });
  });
}

const WORDS = ["garden", "gardens", "gate", "rose", "roses", "tea", "cup"];
const LOOKS = [...WORDS, "ga*", "rose*", "te*", '"rose tea"', '"tea ga*"', "rose-tea", "gate-r*", "nothing"];
const SOURCES = [ann, bob, dm(THERE, "ann"), dm(THERE, "cid"), team("ann"), team("bob")];
const VIEWERS: readonly Viewer[] = [
  OWNER,
  ...SOURCES.map(viewerOf),
  { kind: "person", identities: [`${HERE}:ann`, `${THERE}:ann`] },
  { kind: "person", identities: [] },
  viewerOf(dm(HERE, "nobody")),
];
const TIMES = [NOON - 500 * DAY, NOON - 40 * DAY, NOON - DAY, NOON - 1, NOON, NOON + 1, NOON + DAY];

/** Conversations that change at random, and what a search in them must find. */
class SearchWorld {
  readonly #sessions: Sessions;
  readonly #random: () => number;
  readonly #ids: SessionId[] = [];
  /** Each message by `session#seq`, in the order in which they came. */
  readonly #order: string[] = [];
  #calls = 0;

  constructor(sessions: Sessions, random: () => number) {
    this.#sessions = sessions;
    this.#random = random;
  }

  async change(): Promise<void> {
    const kind = this.#random();
    if (this.#ids.length === 0 || kind < 0.3) {
      const first = user(this.#text(), this.#one(TIMES));
      const { entry } = await this.#sessions.receive(this.#one(SOURCES), first, { forceNew: kind < 0.15 });
      if (!this.#ids.includes(entry.sessionId)) this.#ids.push(entry.sessionId);
      return this.#note(entry.sessionId);
    }
    const sessionId = this.#one(this.#ids);
    if (kind < 0.7) await this.#sessions.appendMany(sessionId, this.#messages());
    else if (kind < 0.85) await this.#sessions.switchTo(this.#one(SOURCES), sessionId);
    else {
      const kept = (await this.#sessions.load(sessionId)).slice(0, -2);
      await this.#sessions.rewrite(sessionId, [...kept, ...this.#messages()]);
    }
    return this.#note(sessionId);
  }

  question(): { query: string; viewer: Viewer; options: SearchOptions } {
    const maybe = <Value extends object>(value: Value) => (this.#random() < 0.3 ? value : {});
    const query = Array.from({ length: this.#random() < 0.7 ? 1 : 2 }, () => this.#one(LOOKS)).join(" ");
    const options = {
      ...maybe({ platform: this.#one([HERE, THERE]) }),
      ...maybe({ role: this.#one(["user", "assistant", "tool", ["tool", "system"]] as const) }),
      ...maybe({ after: this.#one(TIMES) }),
      ...maybe({ before: this.#one(TIMES) }),
      ...maybe({ sessionId: this.#one(this.#ids) }),
      limit: 1 + Math.floor(this.#random() * 12),
      neighbours: Math.floor(this.#random() * 4),
    };
    return { query, viewer: this.#one(VIEWERS), options };
  }

  async expected(query: string, viewer: Viewer, options: SearchOptions): Promise<string[]> {
    const { platform, role, after = -1e18, before = 1e18, sessionId, neighbours = 0 } = options;
    const hits = new Map<string, string>();
    for (const id of this.#ids) {
      const entry = (await this.#sessions.get(id)) as SessionEntry;
      const isMeant =
        mayAccess(viewer, entry) &&
        (platform === undefined || entry.platform === platform) &&
        (sessionId === undefined || id === sessionId);
      const messages = isMeant ? await this.#sessions.load(id) : [];
      for (const [place, message] of messages.entries()) {
        const ofRole = role === undefined || [role].flat().includes(message.role);
        if (!ofRole || message.at < after || message.at >= before || !isIn(query, wordsOf(message))) continue;
        const beside = [
          messages.slice(Math.max(0, place - neighbours), place),
          messages.slice(place + 1, place + 1 + neighbours),
        ];
        const seqs = beside.map((side) => side.map(({ seq }) => seq).join());
        hits.set(`${id}#${message.seq}`, `${id}#${message.seq} ${message.role} (${seqs.join("|")})`);
      }
    }
    return this.#order.toReversed().flatMap((key) => hits.get(key) ?? []);
  }

  async #note(sessionId: SessionId): Promise<void> {
    for (const { seq } of await this.#sessions.load(sessionId)) {
      const key = `${sessionId}#${seq}`;
      if (!this.#order.includes(key)) this.#order.push(key);
    }
  }

  #messages(): Message[] {
    const [at, id] = [this.#one(TIMES), `call${++this.#calls}`];
    const call = { id, name: "look_up", arguments: JSON.stringify({ cup: this.#text() }) };
    return this.#one<readonly Message[]>([
      [user(this.#text(), at)],
      [{ role: "assistant", content: this.#text(), at }],
      [{ role: "system", content: this.#text(), at }],
      [
        { role: "assistant", content: "", toolCalls: [call], at },
        { role: "tool", toolCallId: id, name: "look_up", content: this.#text(), at },
      ],
    ]).slice();
  }

  #text(): string {
    return Array.from({ length: 1 + Math.floor(this.#random() * 5) }, () => this.#one(WORDS)).join(" ");
  }

  #one<Item>(items: readonly Item[]): Item {
    return items[Math.floor(this.#random() * items.length)] as Item;
  }
}

function wordsOf(message: StoredMessage): string[] {
  const calls = message.role === "assistant" ? (message.toolCalls ?? []) : [];
  const named = message.role === "tool" ? message.name : "";
  const text = [named, message.content, ...calls.flatMap((call) => [call.name, call.arguments])].join(" ");
  return text.toLowerCase().match(/[a-z]+/g) ?? [];
}

/** Each part of the query, a word or words in a row, is somewhere in the message. */
function isIn(query: string, words: readonly string[]): boolean {
  const said = ` ${words.join(" ")} `;
  return (query.match(/"[^"]*"|\S+/g) ?? []).every((part) => {
    const isPhrase = part.startsWith('"'); // In quotes, a star is no star.
    const row = (part.match(/[a-z]+/g) ?? []).join(" ");
    return said.includes(part.endsWith("*") && !isPhrase ? ` ${row}` : ` ${row} `);
  });
}

async function allPages(
  sessions: Sessions,
  query: string,
  viewer: Viewer,
  options: SearchOptions,
): Promise<SearchHit[]> {
  const hits: SearchHit[] = [];
  let cursor: string | null = null;
  do {
    const page = await sessions.as(viewer).search(query, { ...options, ...(cursor ? { cursor } : {}) });
    hits.push(...page.items);
    cursor = page.nextCursor;
  } while (cursor !== null);
  return hits;
}

function briefly({ sessionId, seq, role, before, after }: SearchHit): string {
  const seqs = [before, after].map((side) => side.map((message) => message.seq).join());
  return `${sessionId}#${seq} ${role} (${seqs.join("|")})`;
}

/** The same numbers for the same seed. */
function randomFrom(seed: number): () => number {
  let state = seed * 2_654_435_761;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
