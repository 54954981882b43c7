/**
 * The same as access-oracle.test.ts through a whole gateway: what random people read in chats after commands, and what the
 * agent is given and finds with its tools while it answers them, is exactly what the oracle says.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Agent, AgentEvent, Tool } from "../src/agent/agent.js";
import type { SessionScopes } from "../src/index.js";
import { ScriptedAdapter } from "../src/testing/scripted-adapter.js";
import { aCall } from "./support/a-call.js";
import { type Kept, marksIn, type Said, type Spot } from "./support/access-books.js";
import { AccessWorld, GROUPS, HERE, RULES, saying, THERE, TITLE } from "./support/access-world.js";
import { type Chat, until, World } from "./support/gateway-world.js";

const CASES = 500;
const SEED = 41;
const TOOLS = ["session_search", "session_read", "memory"];
const UNLIMITED = { messagesPerMinute: "none", turnsAtOnce: "none", modelCallsPerDay: "none" } as const;
/** Told in the chat that a conversation left. */
const LEFT = /moved to .* To bring it back/;

const marksOf = (said: readonly { readonly mark: string }[]) => said.map(({ mark }) => mark);
const idsIn = (text: string) => [...new Set(text.match(/\d{8}_\d{6}_[0-9a-f]{12}/g))];
/** The figure behind these words: `1,234 tokens`, or nothing. */
const figure = (text: string, words: string): number | null => {
  const [, found] = new RegExp(`^${words}: ([\\d,]+ tokens?|nothing)`, "m").exec(text) ?? [];
  return found === undefined ? null : Number.parseInt(found.replaceAll(",", ""), 10) || 0;
};

describe.each<[string, SessionScopes]>([
  ["groups in which each member has their own, with shared topics", { group: "member" }],
  ["shared groups, with topics in which each member has their own", { thread: "member" }],
])("%s", (_, scopes) => {
  let world: AccessWorld;
  let gateway: World;
  /** What happens when the agent runs next. */
  let onTurn: (turn: Parameters<Agent["run"]>[0]) => Promise<{ text: string; tokens: number }>;

  const agent: Agent = {
    name: "looker",
    async *run(turn): AsyncIterable<AgentEvent> {
      const { text, tokens } = await onTurn(turn);
      yield { kind: "message", message: { role: "assistant", content: text }, results: [] };
      yield { kind: "usage", model: "big", usage: { inputTokens: tokens, cost: 0.01 } };
      yield { kind: "done", stopped: false };
    },
  };

  beforeAll(async () => {
    world = await AccessWorld.open(scopes, SEED);
    for (let n = 0; n < 100; n++) await world.happen();
    const beside = new ScriptedAdapter({ platform: THERE, shared: true });
    gateway = await World.open({
      on: world.store,
      config: world.config,
      platform: HERE,
      beside: [beside],
      people: RULES,
      gateway: {
        agent,
        groups: { byChat: GROUPS },
        memory: world.desk,
        limits: { guests: UNLIMITED, members: UNLIMITED },
        toolLists: { guests: TOOLS, members: TOOLS },
      },
    });
    chatOf = ({ source }) =>
      gateway.chat(source.userId ?? "", source, source.platform === HERE ? gateway.adapter : beside);
  });
  afterAll(async () => {
    await gateway.close();
    await world.close();
  });
  let chatOf: (spot: Spot) => Chat;

  /** Writes, and returns the first answer that is about this. */
  async function ask(spot: Spot, text: string, about: RegExp = /./): Promise<string> {
    const chat = chatOf(spot);
    const before = chat.told.length;
    world.now += 1_000;
    gateway.now = world.now;
    await chat.write(text);
    const answer = () => chat.told.slice(before).find((each) => !LEFT.test(each) && about.test(each));
    await until(() => answer() !== undefined);
    await gateway.gateway.lane(chat.key).idle();
    return answer() ?? "";
  }

  async function use(tools: readonly Tool[], name: string, args: object): Promise<string> {
    const tool = tools.find((each) => each.name === name);
    return tool ? tool.run(args, { call: aCall, signal: new AbortController().signal }) : "no tool";
  }

  /** The lines of hits, exactly; and nothing beside them but what is said in the same conversations. */
  function expectHits(text: string, line: RegExp, hits: readonly Said[], where: string): void {
    const lines = text.split("\n").filter((each) => line.test(each));
    expect(lines.flatMap(marksIn), where).toEqual(marksOf(hits));
    const seen = new Set(hits.flatMap(({ kept }) => marksOf(world.books.in(kept))));
    expect(
      marksIn(text).filter((mark) => !seen.has(mark)),
      where,
    ).toEqual([]);
  }

  const CALLS: Readonly<Record<string, (spot: Spot, kept: Kept, where: string) => Promise<void>>> = {
    async message(spot, kept, where) {
      const { books } = world;
      const [mark, reply] = [books.mark(), books.mark()];
      const tokens = 1 + Math.floor(world.random() * 1e5);
      let problem: unknown = new Error(`${where}: the agent did not run`);
      onTurn = async (turn) => {
        try {
          const present = spot.lane.current;
          if (present) expect(turn.sessionId, where).toBe(present.id);
          const here = present ?? books.begin(turn.sessionId, spot);
          books.say(here, { mark, by: "user", at: world.now, role: spot.account.role });
          const notes = books.notesOfTurn(spot, here);
          expect(marksIn(turn.history.map(({ content }) => content).join(" ")), where).toEqual(
            marksOf(books.in(here)),
          );
          expect(marksIn(turn.labels ?? ""), where).toEqual(marksOf(notes));
          expect(marksIn(turn.prompt), where).toEqual([]);
          const found = await use(turn.tools, "session_search", { query: "garden plan", limit: 20 });
          expectHits(found, /^\d{8}_/, books.found(spot).slice(0, 20), where);
          const read = await use(turn.tools, "session_read", { session: kept.id, limit: 100 });
          expect(marksIn(read), where).toEqual(books.maySee(spot, kept) ? marksOf(books.in(kept)) : []);
          const listed = await use(turn.tools, "memory", { action: "list" });
          expect(marksIn(listed), where).toEqual(marksOf(notes));
          books.say(here, { mark: reply, by: "assistant", at: world.now });
          here.tokens += tokens;
          const day = new Date(world.now).toISOString().slice(0, 10);
          const used = { account: spot.account, sessionId: here.id, jobId: "", model: "big", day, tokens };
          books.uses.push(used);
          problem = null;
        } catch (error) {
          problem = error;
        }
        return { text: saying(reply), tokens };
      };
      await ask(spot, saying(mark), new RegExp(reply));
      if (problem) throw problem;
    },
    async "/sessions"(spot, _kept, where) {
      const text = await ask(spot, "/sessions");
      const seen = world.books.seen(spot);
      const ids = idsIn(text);
      expect(ids, where).toHaveLength(Math.min(10, seen.length));
      expect(
        seen.map(({ id }) => id),
        where,
      ).toEqual(expect.arrayContaining(ids));
      const marks = new Set(world.books.found(spot).map(({ mark }) => mark));
      expect(
        marksIn(text).filter((mark) => !marks.has(mark)),
        where,
      ).toEqual([]);
    },
    async "/search"(spot, kept, where) {
      const isHidden = world.chance(0.3);
      const by = world.chance(0.3) ? world.pick(["user", "assistant"] as const) : null;
      const inOne = world.chance(0.3);
      const { mark } = world.pick(world.books.said);
      const filters = `${by ? ` role:${by}` : ""}${inOne ? ` in:${kept.id}` : ""}`;
      const text = await ask(spot, `/search ${isHidden ? mark : "garden plan"}${filters}`);
      if (inOne && !world.books.maySee(spot, kept)) expect(text, where).toMatch(/no session/);
      const hits = world.books
        .found(spot, isHidden ? mark : undefined)
        .filter((said) => (!by || said.by === by) && (!inOne || said.kept === kept));
      expectHits(text, /^\d+\. /, hits.slice(0, 8), where);
    },
    async "/resume by id"(spot, kept, where) {
      const text = await ask(spot, `/resume ${kept.id}`);
      if (world.books.maySee(spot, kept)) return resumed(text, spot, kept, where);
      expect(text, where).toBe(
        `There is no session ${JSON.stringify(kept.id)} here. Send /sessions to list yours.`,
      );
    },
    async "/resume by title"(spot, _kept, where) {
      const text = await ask(spot, `/resume ${TITLE}`);
      const titled = world.books.seen(spot).filter(({ title }) => title === TITLE);
      const [only] = titled;
      if (titled.length === 1 && only) return resumed(text, spot, only, where);
      expect(text, where).toMatch(titled.length === 0 ? /^There is no session/ : /matches several sessions/);
      expect(
        titled.map(({ id }) => id),
        where,
      ).toEqual(expect.arrayContaining(idsIn(text)));
    },
    async "/branch"(spot, _kept, where) {
      const original = spot.lane.current;
      if (!original) return;
      const text = await ask(spot, "/branch");
      if (/someone who may do more than you/.test(text)) return; // Nothing happened.
      expect(text, where).toMatch(/^You are now in the branch/);
      const entry = await chatOf(spot).session();
      world.books.branch(entry.sessionId, original, spot).title = entry.title;
    },
    async "/memory"(spot, _kept, where) {
      expect(marksIn(await ask(spot, "/memory")), where).toEqual(marksOf(world.books.notesFor(spot)));
      const note = world.pick(world.books.notes);
      if (world.books.notesFor(spot).includes(note)) return;
      const refused = /There is no note|Only members/;
      expect(await ask(spot, `/memory forget ${note.id}`), where).toMatch(refused);
      expect(await ask(spot, `/memory edit ${note.id} Mine`), where).toMatch(refused);
    },
    async "/usage"(spot, _kept, where) {
      const text = await ask(spot, "/usage");
      const shown = spot.lane.current ?? spot.lane.expired;
      const sum = (uses: readonly { readonly tokens: number }[]) =>
        uses.reduce((all, { tokens }) => all + tokens, 0);
      expect(figure(text, "This session"), where).toBe(shown ? shown.tokens : null);
      const theirs = world.books.usesOf(spot.account);
      const here = theirs.filter(({ sessionId }) => sessionId === shown?.id);
      const today = theirs.filter(({ day }) => day === new Date(world.now).toISOString().slice(0, 10));
      const isPrivate = spot.kind === "private";
      expect(figure(text, "You here"), where).toBe(isPrivate || !shown ? null : sum(here));
      expect(figure(text, "You today"), where).toBe(isPrivate && theirs.length > 0 ? sum(today) : null);
      expect(figure(text, "You in the last 7 days"), where).toBe(isPrivate ? sum(theirs) : null);
      const jobs = theirs.map(({ jobId }) => jobId);
      expect(isPrivate ? jobs : [], where).toEqual(
        expect.arrayContaining(text.match(/j_[0-9a-f]{8}/g) ?? []),
      );
    },
    async "/status"(spot, _kept, where) {
      const text = await ask(spot, "/status");
      const shown = spot.lane.current ?? spot.lane.expired;
      expect(shown ? [shown.id] : [], where).toEqual(expect.arrayContaining(idsIn(text)));
      expect(marksIn(text), where).toEqual([]);
    },
  };

  function resumed(text: string, spot: Spot, kept: Kept, where: string): void {
    expect(text, where).toMatch(/^Back in|^You are already in/);
    const marks = marksOf(world.books.in(kept));
    expect(marks, where).toEqual(expect.arrayContaining(marksIn(text)));
    world.books.move(kept, spot.lane);
  }

  it(`${CASES} messages and commands in chats give exactly what the oracle says (seed ${SEED})`, async () => {
    for (let n = 0; n < CASES; n++) {
      const spot = world.pick(world.spots);
      const seen = world.books.seen(spot);
      const kept = world.pick(world.chance(0.4) && seen.length > 0 ? seen : world.books.sessions);
      const call = world.pick(Object.keys(CALLS));
      const where = `seed ${SEED}, case ${n}: ${call} of ${spot.account.name}, ${JSON.stringify(spot.source)}, about ${kept.id}`;
      await CALLS[call]?.(spot, kept, where).catch((cause: Error) => {
        throw cause.message.includes(where) ? cause : new Error(where, { cause });
      });
    }
    expect(gateway.problems).toEqual([]);
  }, 240_000);
});
