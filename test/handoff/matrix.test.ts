/**
 * Every surface to every other one, there and back twice: the real adapters in one gateway against the servers that play
 * their platforms, and the terminal in a process of its own, all over one SQLite file.
 */
import { createHash } from "node:crypto";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Agent } from "../../src/agent/agent.js";
import { offlineAgent } from "../../src/agent/offline.js";
import { commandTable } from "../../src/gateway/commands/table.js";
import { type OpenGateway, openGateway } from "../../src/open-gateway.js";
import { identityNamed, OWNER } from "../../src/session/access.js";
import type { StoredMessage } from "../../src/session/transcript.js";
import { makeHome } from "../support/baton.js";
import { killAll, pty } from "../terminal/pty-chat.js";
import { ChatSide, type Side } from "./side.js";
import { type Person, Platforms, SURFACES, type Surface } from "./surfaces.js";
import { TerminalSide } from "./terminal-side.js";

const home = makeHome();
let platforms: Platforms;
let open: OpenGateway;
const problems: string[] = [];

beforeAll(async () => {
  platforms = await Platforms.start();
  const { adapters, connected } = await platforms.adapters();
  const { people } = platforms;
  const ids = people.map((person) => person.ids);
  const owners = Object.fromEntries(
    Object.keys(ids[0] ?? {}).map((platform) => [platform, ids.map((each) => each[platform] ?? "")]),
  );
  open = await openGateway({
    url: join(home, "baton.db"),
    agent,
    adapters,
    commands: commandTable({ agent: agent.name, clock: Date.now }),
    tools: () => [{ name: "terminal", description: "", parameters: {}, run: async () => "roses" }],
    people: { owners },
    onProblem: (problem) => problems.push(problem),
  });
  for (const [n, person] of people.entries()) await know(person, n === 0);
  await open.gateway.start();
  connected();
  free.push(...people);
});
afterAll(async () => {
  killAll();
  await open?.close({ drainMs: 0 });
  await platforms?.close();
});

/** Its answers come whole: how they grow is another test's. */
const agent: Agent = {
  name: "whole",
  async *run(input) {
    for await (const event of offlineAgent().run(input)) if (event.kind !== "text") yield event;
  },
};

/** All that somebody is called is one person's; the first one sits at the terminal, too. */
async function know(person: Person, isAtTerminal: boolean): Promise<void> {
  const { people } = open.gateway;
  const names = Object.entries(person.ids).map(([platform, id]) => identityNamed(platform, id));
  const [first = "", ...others] = isAtTerminal ? [identityNamed("local", "terminal"), ...names] : names;
  for (const other of others) await people.store.join(first, other, people.newId(), Date.now());
}

/** People who have no part in a pair just now. */
const free: Person[] = [];
const waiting: ((person: Person) => void)[] = [];
async function withSomebody(work: (person: Person) => Promise<void>): Promise<void> {
  const person = free.pop() ?? (await new Promise<Person>((resolve) => waiting.push(resolve)));
  try {
    await work(person);
  } finally {
    const next = waiting.shift();
    if (next) next(person);
    else free.push(person);
  }
}

async function sideOf(surface: Surface, person: Person): Promise<ChatSide> {
  const spot = await platforms.spot(surface, person);
  return new ChatSide(
    surface,
    spot,
    async (sessionId) => (await open.sessions.get(sessionId))?.origin ?? null,
  );
}

let titles = 0;
async function thereAndBackTwice(source: Side, destination: Side): Promise<void> {
  titles += 1;
  const title = `Talk ${titles}`;
  const words = (n: number): string => `${title}, line ${n}`;
  await source.begin(title);
  await source.say(words(1));
  await source.say(`run echo ${title}`);
  const { sessionId } = await sessionNamed(title);
  for (const round of [0, 1]) {
    const before = await open.sessions.load(sessionId);
    await destination.ready();
    await source.ask(destination.word);
    await destination.arrives(title, sessionId);
    await source.leaves();
    await destination.say(words(2 + 2 * round));
    const there = await open.sessions.load(sessionId);
    expect(hashOf(there.slice(0, before.length))).toBe(hashOf(before));
    await source.bringBack(title);
    await destination.loses(title);
    await source.say(words(3 + 2 * round));
    const back = await open.sessions.load(sessionId);
    expect(hashOf(back.slice(0, there.length))).toBe(hashOf(there));
    expect((await sessionNamed(title)).sessionId).toBe(sessionId);
  }
  const all = await open.sessions.load(sessionId, { superseded: true });
  expect(all.map(({ seq }) => seq)).toEqual(all.map((_, n) => n + 1));
  const said = all.filter(({ role, content }) => role === "user" && !content.startsWith("["));
  expect(said.map(({ content }) => content)).toEqual([
    words(1),
    `run echo ${title}`,
    ...[2, 3, 4, 5].map(words),
  ]);
}

/** The one session that has this title: none was begun beside it. */
function sessionNamed(title: string) {
  return open.sessions.find(title, OWNER);
}

function hashOf(messages: readonly StoredMessage[]): string {
  const kept = messages.map((message) => {
    const { seq, role, content } = message;
    return { seq, role, content, toolCalls: role === "assistant" ? message.toolCalls : undefined };
  });
  return createHash("sha256").update(JSON.stringify(kept)).digest("hex");
}

const pairs = SURFACES.flatMap((from) =>
  SURFACES.filter((to) => to !== from).map((to) => [from, to] as const),
);

describe("a conversation goes there and back twice, whole and in order", { timeout: 180_000 }, () => {
  describe.concurrent("between platforms", () => {
    test.each(pairs)("from %s to %s", (from, to) =>
      withSomebody(async (person) => thereAndBackTwice(await sideOf(from, person), await sideOf(to, person))),
    );
  });

  // One lane for all terminals: one after the other.
  describe.skipIf(pty === null)("to and from the terminal, which is another process", () => {
    let terminal: TerminalSide;
    beforeAll(() => {
      terminal = new TerminalSide(home);
    });

    test.each(SURFACES)("from %s", async (from) => {
      const [ann] = platforms.people;
      if (ann) await thereAndBackTwice(await sideOf(from, ann), terminal);
    });

    test.each(SURFACES)("to %s", async (to) => {
      const [ann] = platforms.people;
      if (ann) await thereAndBackTwice(terminal, await sideOf(to, ann));
    });
  });
});

test("nothing went wrong behind it", () => expect(problems).toEqual([]));
