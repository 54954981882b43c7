/**
 * Nobody sees what is another's, though all titles and texts are equal: 10,000 random calls of random people in random
 * places against an oracle (`support/access-books.ts`), while conversations begin, move, branch and end, and accounts are
 * linked and unlinked. Each answer is exactly what the oracle says, no more and no less. The same through a whole gateway is
 * in access-oracle-chats.test.ts.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Tool } from "../src/agent/agent.js";
import type { Access } from "../src/gateway/authorize.js";
import { type GatewayToolsSetting, gatewayTools } from "../src/gateway/gateway-tools.js";
import { JobDesk } from "../src/gateway/jobs/desk.js";
import { turnMemory } from "../src/gateway/memory/turn-memory.js";
import { memoryAt } from "../src/gateway/memory/whose.js";
import type { UsageBy } from "../src/gateway/usage-store.js";
import { exportSession, type SessionId, type SessionScopes } from "../src/index.js";
import type { BatonError } from "../src/session/errors.js";
import { isShared } from "../src/session/session-key.js";
import type { Page, SearchOptions } from "../src/session/store.js";
import { aCall } from "./support/a-call.js";
import { type Kept, type KeptUse, marksIn, type Said, type Spot } from "./support/access-books.js";
import { AccessWorld, HERE, saying, THERE, TITLE } from "./support/access-world.js";

const CASES = 5_000;
const SEED = 14;
const EVENTS_SHARE = 0.04;

const WORDS = ["garden party", '"party plan"', "gard* plan", "ready THE"];
const NO_SESSION = "20200101_000000_000000000000" as SessionId;

/** One page after the other. */
async function all<Item>(page: (cursor: { cursor?: string }) => Promise<Page<Item>>): Promise<Item[]> {
  const items: Item[] = [];
  let next: string | null | undefined;
  do {
    const found = await page(next ? { cursor: next } : {});
    items.push(...found.items);
    next = found.nextCursor;
  } while (next);
  return items;
}

const idsOf = (kept: readonly { readonly id: string }[]) => kept.map(({ id }) => id).sort();
const marksOf = (said: readonly { readonly mark: string }[]) => said.map(({ mark }) => mark);
const hitOf = ({ kept, seq }: Said) => `${kept.id} ${seq}`;
const sumBy = (uses: readonly KeptUse[], key: (use: KeptUse) => string) => {
  const sums: Record<string, number> = {};
  for (const use of uses) sums[key(use)] = (sums[key(use)] ?? 0) + use.tokens;
  return sums;
};

/** What an attempt gives: its result, or the words of a refusal. */
async function outcome<Result>(attempt: Promise<Result>): Promise<Result | string> {
  try {
    return await attempt;
  } catch (error) {
    const { code, message } = error as BatonError;
    if (code !== "session_not_found" && code !== "ambiguous_session") throw error;
    return `${code}: ${message}`;
  }
}

describe.each<[string, SessionScopes]>([
  ["groups in which each member has their own, with shared topics", { group: "member" }],
  ["shared groups, with topics in which each member has their own", { thread: "member" }],
])("%s", (_, scopes) => {
  let world: AccessWorld;
  beforeAll(async () => {
    world = await AccessWorld.open(scopes, SEED);
  });
  afterAll(() => world.close());

  /** A refusal never tells whether there is such a session. */
  const isRefused = async (attempt: (id: SessionId) => Promise<unknown>, kept: Kept, where: string) => {
    const missing = String(await outcome(attempt(NO_SESSION)));
    expect(missing, where).toMatch(/^session_not_found: /);
    expect(await outcome(attempt(kept.id)), where).toBe(missing.replaceAll(NO_SESSION, kept.id));
  };

  const searchCase = (spot: Spot): { query: string; hits: Said[] } => {
    if (world.chance(0.3)) {
      const { mark } = world.pick(world.books.said);
      return { query: mark, hits: world.books.found(spot, mark) };
    }
    return { query: world.pick(WORDS), hits: world.books.found(spot) };
  };

  /** Random filters, and which messages pass them. */
  function filtersFor(kept: Kept): { options: SearchOptions; passes: (said: Said) => boolean } {
    const sessionId = world.chance(0.3) ? kept.id : undefined;
    const platform = world.chance(0.2) ? world.pick([HERE, THERE]) : undefined;
    const role = world.chance(0.2) ? world.pick(["user", "assistant"] as const) : undefined;
    const after = world.chance(0.2) ? world.pick(world.books.said).at : undefined;
    const before = world.chance(0.2) ? world.pick(world.books.said).at : undefined;
    const passes = (said: Said): boolean =>
      (sessionId === undefined || said.kept.id === sessionId) &&
      (platform === undefined || said.kept.lane.chat.startsWith(platform)) &&
      (role === undefined || said.by === role) &&
      (after === undefined || said.at >= after) &&
      (before === undefined || said.at < before);
    const given = Object.entries({ sessionId, platform, role, after, before });
    return { options: Object.fromEntries(given.filter(([, value]) => value !== undefined)), passes };
  }

  /** The tools as a turn in the lane's conversation has them. */
  async function toolsOf(spot: Spot): Promise<(name: string, args: object) => Promise<string>> {
    const who = await world.who(spot);
    const { memory } = await memoryOf(spot, who);
    const setting = {
      sessions: world.sessions,
      store: world.store,
      adapters: [],
      jobs: jobDesk(),
      memory: world.desk,
      holder: "me",
      clock: () => world.now,
    } as unknown as GatewayToolsSetting;
    const turn = { turn: { sessionId: NO_SESSION }, item: { source: spot.source } };
    const tools = gatewayTools(setting, { who, memory, ...turn } as never);
    return (name, args) => use(tools, name, args);
  }

  async function use(tools: readonly Tool[], name: string, args: object): Promise<string> {
    const tool = tools.find((each) => each.name === name);
    return tool ? tool.run(args, { call: aCall, signal: new AbortController().signal }) : "no tool";
  }

  async function memoryOf(spot: Spot, who: Access) {
    const { source, lane } = spot;
    const entry =
      (lane.current && (await world.sessions.get(lane.current.id))) ?? world.sessions.laneOf(source);
    const shared = isShared(source, scopes);
    const { reader, labels } = await turnMemory(world.desk, null, { who, source, entry, scopes, shared });
    return { memory: reader, labels };
  }

  const jobDesk = () => new JobDesk({ jobs: world.store.jobs, clock: () => world.now } as never);

  const CALLS: Readonly<Record<string, (spot: Spot, kept: Kept, where: string) => Promise<void>>> = {
    async list(spot, _kept, where) {
      const view = await world.view(spot);
      const platform = world.chance(0.3) ? world.pick([HERE, THERE]) : undefined;
      const limit = world.pick([3, 20, 200]);
      const found = await all((cursor) => view.list({ limit, ...(platform ? { platform } : {}), ...cursor }));
      const seen = world.books.seen(spot).filter(({ lane }) => !platform || lane.chat.startsWith(platform));
      expect(found.map(({ sessionId }) => sessionId).sort(), where).toEqual(idsOf(seen));
    },
    async get(spot, kept, where) {
      const view = await world.view(spot);
      if (!world.books.maySee(spot, kept)) return isRefused((id) => view.get(id), kept, where);
      expect((await view.get(kept.id)).title, where).toBe(kept.title);
    },
    async load(spot, kept, where) {
      const view = await world.view(spot);
      const superseded = world.chance(0.5);
      if (!world.books.maySee(spot, kept))
        return isRefused((id) => view.load(id, { superseded }), kept, where);
      const said = superseded ? world.books.said.filter((each) => each.kept === kept) : world.books.in(kept);
      const messages = await view.load(kept.id, { superseded });
      expect(messages.map(({ content }) => content).sort(), where).toEqual(marksOf(said).map(saying).sort());
    },
    async pages(spot, kept, where) {
      const view = await world.view(spot);
      const read = async (id: SessionId) => {
        const texts: string[] = [];
        for await (const page of view.pages(id, { afterSeq: 1 }))
          texts.push(...page.map(({ content }) => content));
        return texts;
      };
      if (!world.books.maySee(spot, kept)) return isRefused(read, kept, where);
      const said = world.books.in(kept).filter(({ seq }) => seq > 1);
      expect(await read(kept.id), where).toEqual(marksOf(said).map(saying));
    },
    async "find by id"(spot, kept, where) {
      const view = await world.view(spot);
      if (!world.books.maySee(spot, kept)) return isRefused((id) => view.find(id), kept, where);
      expect((await view.find(kept.id)).sessionId, where).toBe(kept.id);
    },
    async "find by title"(spot, _kept, where) {
      const titled = world.books.seen(spot).filter(({ title }) => title === TITLE);
      expectFound(await outcome((await world.view(spot)).find(TITLE)), titled, where);
    },
    async "find by beginning"(spot, kept, where) {
      const beginning = kept.id.slice(0, world.pick([4, 15, -9, -4]));
      const begun = world.books.seen(spot).filter(({ id }) => id.startsWith(beginning));
      const view = await world.view(spot);
      expectFound(await outcome(view.find(beginning)), begun, where);
      const alone = (await view.alone([beginning])).get(beginning);
      expect(alone, where).toBe(begun.length === 1 ? begun[0]?.id : undefined);
    },
    async search(spot, kept, where) {
      const view = await world.view(spot);
      const { query, hits } = searchCase(spot);
      const { options, passes } = filtersFor(kept);
      const neighbours = world.pick([0, 0, 1, 3]);
      const limit = world.pick([4, 30, 100]);
      const found = await all((cursor) => view.search(query, { ...options, neighbours, limit, ...cursor }));
      const shown = found.map(({ sessionId, seq, snippet, before, after }) => ({
        hit: `${sessionId} ${seq}`,
        snippet,
        beside: [before, after].map((side) => side.map(({ text }) => text)),
      }));
      const expected = hits.filter(passes).map((said) => {
        const all = world.books.in(said.kept);
        const at = all.indexOf(said);
        const sides = [all.slice(Math.max(0, at - neighbours), at), all.slice(at + 1, at + 1 + neighbours)];
        const beside = sides.map((side) => marksOf(side).map(saying));
        return { hit: hitOf(said), snippet: saying(said.mark), beside };
      });
      expect(shown, where).toEqual(expected);
    },
    async "change what is another's"(spot, kept, where) {
      const view = await world.view(spot);
      if (world.books.maySee(spot, kept)) {
        // Again the same title, or one that another of theirs has: nothing changes.
        if (kept.title) expect((await view.setTitle(kept.id, kept.title)).sessionId, where).toBe(kept.id);
        return;
      }
      await isRefused((id) => view.setTitle(id, "Mine"), kept, where);
      await isRefused((id) => view.switchTo(spot.source, id), kept, where);
      await isRefused((id) => view.requestHandoff(id, HERE), kept, where);
    },
    async "go to another's lane"(spot, _kept, where) {
      const view = await world.view(spot);
      const other = world.pick(world.spots);
      const { platform, chatId, threadId } = other.source;
      const lane = await view.laneAt({ platform, chatId, ...(threadId ? { threadId } : {}) });
      const there = world.spots.filter(
        (each) => each.chat === other.chat && each.source.threadId === threadId && isUsable(spot, each),
      );
      const keys = there.filter((each) => each.lane.current ?? each.lane.expired);
      const expected = keys.map(({ source }) => world.sessions.laneOf(source).key);
      if (expected.length === 0) expect(lane, where).toBeNull();
      else expect(expected, where).toContain(lane?.key);
    },
    async session_search(spot, kept, where) {
      const run = await toolsOf(spot);
      const { query, hits } = searchCase(spot);
      const inOne = world.chance(0.3);
      const which = inOne ? { session: kept.id } : {};
      const text = await run("session_search", {
        query,
        limit: 20,
        neighbours: world.pick([0, 2]),
        ...which,
      });
      if (inOne && !world.books.maySee(spot, kept)) {
        const missing = await run("session_search", { query, session: NO_SESSION });
        expect(text, where).toBe(missing.replaceAll(NO_SESSION, kept.id));
      }
      const expected = hits.filter((said) => !inOne || said.kept === kept).slice(0, 20);
      const lines = text.split("\n").filter((line) => /^\d{8}_/.test(line));
      expect(lines.flatMap(marksIn), where).toEqual(marksOf(expected));
      expect(
        lines.map((line) => line.split(" ")[0]),
        where,
      ).toEqual(expected.map((said) => said.kept.id));
      expectOnly(text, expected, where);
    },
    async session_read(spot, kept, where) {
      const run = await toolsOf(spot);
      const may = world.books.maySee(spot, kept);
      const text = await run("session_read", { session: kept.id, limit: 100 });
      expect(marksIn(text), where).toEqual(may ? marksOf(world.books.in(kept)) : []);
      if (may) return;
      const missing = await run("session_read", { session: NO_SESSION, limit: 100 });
      expect(text, where).toBe(missing.replaceAll(NO_SESSION, kept.id));
    },
    async "session_read by title"(spot, _kept, where) {
      const titled = world.books.seen(spot).filter(({ title }) => title === TITLE);
      const text = await (await toolsOf(spot))("session_read", { session: TITLE, limit: 100 });
      const [only] = titled;
      expect(marksIn(text), where).toEqual(titled.length === 1 && only ? marksOf(world.books.in(only)) : []);
      if (titled.length !== 1) expect(text, where).toMatch(/^Error: /);
      expectIds(text, titled, where);
    },
    async schedule(spot, _kept, where) {
      const jobs = world.books.jobsFor(spot);
      const text = await (await toolsOf(spot))("schedule", { action: "list" });
      expect([...new Set(text.match(/j_[0-9a-f]{8}/g))].sort(), where).toEqual(idsOf(jobs));
      const asker = { who: await world.who(spot), source: spot.source };
      const job = world.pick(world.books.jobs);
      const found = await jobDesk()
        .find(asker, job.id)
        .catch(() => null);
      expect(found?.id ?? null, where).toBe(jobs.includes(job) ? job.id : null);
    },
    async memory(spot, _kept, where) {
      const notes = world.books.notesOfTurn(spot, spot.lane.current);
      const { labels } = await memoryOf(spot, await world.who(spot));
      expect(marksIn(labels ?? ""), where).toEqual(marksOf(notes));
      const text = await (await toolsOf(spot))("memory", { action: "list" });
      expect(marksIn(text), where).toEqual(marksOf(notes));
    },
    async "memory of others"(spot, _kept, where) {
      const note = world.pick(world.books.notes);
      const reader = memoryAt(await world.who(spot), spot.source);
      const notes = world.books.notesFor(spot);
      if (!reader) throw new Error(`${where}: no memory`);
      expect(
        marksOf((await world.desk.list(reader)).map(({ text }) => ({ mark: marksIn(text).join() }))),
        where,
      ).toEqual(marksOf(notes));
      if (notes.includes(note)) return;
      await expect(world.desk.remove(reader, [note.id]), where).rejects.toThrow(
        /There is no note|Only members/,
      );
      await expect(world.desk.replace(reader, note.id, "Mine", "person"), where).rejects.toThrow(
        /There is no note|Only members/,
      );
      expect(await world.store.memory.remove(reader.owners, [note.id]), where).toEqual([]);
      const tool = await (await toolsOf(spot))("memory", { action: "remove", number: note.id });
      expect(tool, where).toMatch(/There is no note|Only members|^no tool$/);
    },
    async usage(spot, kept, where) {
      const { identities } = await world.who(spot);
      const by = world.pick<Exclude<UsageBy, "platform">>(["day", "identity", "session", "job", "model"]);
      const fromDay = world.chance(0.3) ? new Date(world.now).toISOString().slice(0, 10) : "";
      const inOne = world.chance(0.5);
      const range = { fromDay, ...(inOne ? { sessionId: kept.id } : {}) };
      const sums = await world.store.usage.sums({ kind: "person", identities }, by, range);
      const theirs = world.books
        .usesOf(spot.account)
        .filter(({ day, sessionId }) => day >= fromDay && (!inOne || sessionId === kept.id));
      const key = (use: KeptUse) =>
        ({
          day: use.day,
          identity: world.identity(use.account),
          session: use.sessionId,
          job: use.jobId,
          model: use.model,
        })[by];
      expect(Object.fromEntries(sums.map((sum) => [sum.key, sum.totalTokens])), where).toEqual(
        sumBy(theirs, key),
      );
      const day = new Date(world.now).toISOString().slice(0, 10);
      const spent = await world.store.usage.measure({ kind: "person", identities, day });
      const today = world.books.usesOf(spot.account).filter((use) => use.day === day);
      expect(spent.tokens, where).toBe(sumBy(today, () => "all").all ?? 0);
    },
    async export(spot, kept, where) {
      const view = await world.view(spot);
      const format = world.pick(["jsonl", "markdown", "json"] as const);
      const write = async (id: SessionId) => {
        const parts: string[] = [];
        await exportSession(world.sessions, await view.get(id), format, (text) => void parts.push(text));
        return parts.join("");
      };
      if (!world.books.maySee(spot, kept)) return isRefused(write, kept, where);
      expect(marksIn(await write(kept.id)), where).toEqual(marksOf(world.books.in(kept)));
    },
  };

  function expectFound(
    found: string | { readonly sessionId: string },
    wanted: readonly Kept[],
    where: string,
  ): void {
    if (wanted.length === 1) expect(found, where).toMatchObject({ sessionId: wanted[0]?.id });
    else {
      expect(found, where).toMatch(wanted.length === 0 ? /^session_not_found/ : /^ambiguous_session/);
      expectIds(String(found), wanted, where);
    }
  }

  /** The ids of others are not told, also not where several match. */
  function expectIds(text: string, among: readonly Kept[], where: string): void {
    const told = text.match(/\d{8}_\d{6}_[0-9a-f]{12}/g) ?? [];
    expect(idsOf(among), where).toEqual(expect.arrayContaining(told));
  }

  /** Nothing else is shown beside the hits but what belongs to the same conversations. */
  function expectOnly(text: string, hits: readonly Said[], where: string): void {
    const seen = new Set(hits.flatMap(({ kept }) => marksOf(world.books.in(kept))));
    expect(
      marksIn(text).filter((mark) => !seen.has(mark)),
      where,
    ).toEqual([]);
  }

  /** Whether somebody there may write into the lane of the other place. */
  function isUsable(spot: Spot, other: Spot): boolean {
    const { of } = other.lane;
    if (spot.kind !== "private") {
      if (spot.chat !== other.chat) return false;
      return "account" in of ? of.account === spot.account : of.chat === spot.chat;
    }
    const { operator } = world.books;
    if (operator && world.books.isSame(spot.account, operator)) return true;
    return "account" in of && world.books.isSame(of.account, spot.account);
  }

  it("everybody may write exactly where the oracle says", async () => {
    for (const account of world.accounts)
      for (const place of world.spots) {
        const isPrivate = place.kind === "private";
        const [platform = "", user = ""] = account.name.split(" ");
        if (platform !== place.source.platform) continue;
        const source = { ...place.source, userId: user, ...(isPrivate ? { chatId: user } : {}) };
        const access = await world.people.access(source);
        const may = world.books.mayWrite(account, place.chat, isPrivate);
        const where = `${account.name} in ${JSON.stringify(source)}`;
        expect(access.allowed ? access.role : null, where).toBe(may ? account.role : null);
      }
  });

  it(`${CASES} calls give exactly what the oracle says (seed ${SEED})`, async () => {
    const seen = { theirs: 0, others: 0 };
    for (let n = 0; n < CASES; n++) {
      if (world.chance(EVENTS_SHARE)) await world.happen();
      if (world.chance(0.005)) await world.sessions.indexAll(); // Some are in the index, and some not yet.
      const spot = world.pick(world.spots);
      const kept = world.pick(
        world.chance(0.3)
          ? [...world.books.seen(spot), ...world.books.sessions.slice(-1)]
          : world.books.sessions,
      );
      const call = world.pick(Object.keys(CALLS));
      seen[world.books.maySee(spot, kept) ? "theirs" : "others"] += 1;
      const where = `seed ${SEED}, case ${n}: ${call} of ${spot.account.name}, ${JSON.stringify(spot.source)}, about ${kept.id}`;
      await CALLS[call]?.(spot, kept, where).catch((cause: Error) => {
        throw cause.message.includes(where) ? cause : new Error(where, { cause });
      });
    }
    expect(seen.theirs).toBeGreaterThan(CASES / 10); // It has met both, often.
    expect(seen.others).toBeGreaterThan(CASES / 4);
  }, 240_000);
});
