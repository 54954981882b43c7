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
import { json } from "../support/whatsapp-world.js";
import { killAll, pty } from "../terminal/pty-chat.js";
import { ChatSide, type Side, type Spot, type Whereabouts } from "./side.js";
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
    people: { owners, pairing: "off" },
    onProblem: (problem) => problems.push(problem),
  });
  platforms.conversations = () => open.sessions;
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
  return new ChatSide(surface, await platforms.spot(surface, person), whereabouts);
}

const whereabouts: Whereabouts = async (sessionId) => (await open.sessions.get(sessionId))?.origin ?? null;

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

describe("a thread of its own is made for it, in which the person is named and just writes on", () => {
  /** The thread that it came in. */
  async function goesTo(person: Person, spot: Spot, title: string): Promise<string> {
    const source = await sideOf("WhatsApp", person);
    const there = new ChatSide("there", spot, whereabouts);
    await source.begin(title);
    await source.say(`${title}, before`);
    const { sessionId } = await sessionNamed(title);
    await source.ask(spot.word);
    await there.arrives(title, sessionId);
    await source.leaves();
    await there.say(`${title}, after`);
    return there.threadId ?? expect.unreachable("There is no thread.");
  }

  test("on Telegram, a topic of the group", () =>
    withSomebody(async (person) => {
      const chatId = await platforms.forum(0);
      const threadId = await goesTo(person, platforms.inForum(person, chatId), "Roses");
      const made = platforms.telegram.calls.filter(
        ({ method, given }) => method === "createForumTopic" && String(given.chat_id) === chatId,
      );
      expect(made.map(({ given }) => given.name)).toEqual(["Roses"]);
      expect(platforms.telegram.sentTo(chatId, threadId)).toHaveLength(3);
      expect(platforms.telegram.sentTo(chatId)).toEqual([]);
    }));

  test("on Discord", () =>
    withSomebody(async (person) => {
      const spot = await platforms.spot("Discord channel", person);
      const threadId = await goesTo(person, spot, "Tulips");
      const said = await platforms.discord.sent(threadId);
      const pings = { users: [person.discordId] };
      expect(said[0]).toMatchObject({ content: `<@${person.discordId}>`, allowed_mentions: pings });
      expect(said).toHaveLength(4);
    }));

  test("on Slack", () =>
    withSomebody(async (person) => {
      const spot = await platforms.spot("Slack channel", person);
      const threadId = await goesTo(person, spot, "Lilies");
      const [begun] = await platforms.slack.said(spot.chatId);
      expect(begun).toMatchObject({ ts: threadId, text: `*Lilies*\n<@${person.slackId}>` });
      expect(await platforms.slack.said(spot.chatId, threadId)).toHaveLength(3);
    }));

  test("on Matrix, and who is not in the room is invited", () =>
    withSomebody(async (person) => {
      const room = await roomOfOthers("!others:matrix.test");
      const spot = platforms.inMatrix(person, room);
      const threadId = await goesTo(person, spot, "Violets");
      const [begun] = await platforms.matrix.sent({ platform: "matrix", chatId: room });
      const mentions = { "m.mentions": { user_ids: [person.matrixId] } };
      expect(begun).toMatchObject({ event_id: threadId, content: mentions });
      expect(await spot.told(threadId)).toHaveLength(3);
      expect(platforms.matrix.front.invited).toEqual([`${room} ${person.matrixId}`]);
    }));
});

describe("it stays where it is, with the reason, where it cannot go", () => {
  const NO_PART = "I am not in that chat, or it does not exist.";
  const NO_CHANNEL =
    "Slack refused: there is no such channel, or the bot cannot see it; invite it there with /invite.";
  /** What the person was told; then they go on as if nothing had been. */
  async function staysWith(person: Person, word: string): Promise<string> {
    const source = await sideOf("Signal", person);
    const title = `Stay ${word}`;
    await source.begin(title);
    await source.say(`${title}, before`);
    const { sessionId, key } = await sessionNamed(title);
    const told = await source.failsToGo(word);
    await source.say(`${title}, after`);
    expect((await open.sessions.current(key))?.sessionId).toBe(sessionId);
    return told;
  }
  const failed = (word: string, reason: string): string =>
    `The handoff to ${word} failed: ${reason} The conversation stays here.`;

  test.each([
    ["Telegram", "telegram:-1009999999999", NO_PART],
    ["Discord", "discord:135000000000099999", NO_PART],
    ["Slack", "slack:C0NOWHERE", NO_CHANNEL],
    ["Matrix", "matrix:!nowhere%3Amatrix.test", "I am not in that room, or it is not there."],
    ["Signal", "signal:+15550009999", NO_PART],
  ])("a chat that is not there, on %s", (_, word, reason) =>
    withSomebody(async (person) => {
      expect(await staysWith(person, word)).toBe(failed(word, reason));
    }),
  );

  test("a channel on Slack that the person is not in", () =>
    withSomebody(async (person) => {
      const others = ["ann", "bob"].filter((name) => name !== person.name);
      const channel = await platforms.slack.privateChannel("hidden", others);
      const reason = `${person.slackId} is not in the channel ${channel} and would not see a thread there.`;
      expect(await staysWith(person, `slack:${channel}`)).toBe(failed(`slack:${channel}`, reason));
      expect(await platforms.slack.said(channel)).toEqual([]);
    }));

  test("a room on Matrix that the person is not in, and we may not invite to", () =>
    withSomebody(async (person) => {
      const room = await roomOfOthers("!closed:matrix.test");
      platforms.matrix.front.invited = null;
      const word = "matrix:!closed%3Amatrix.test";
      const says = "The homeserver says 403: You don't have permission to invite users.";
      const reason = `You are not in that room, and I cannot invite you: ${says}`;
      expect(await staysWith(person, word)).toBe(failed(word, reason));
      platforms.matrix.front.invited = [];
      expect(await platforms.matrix.sent({ platform: "matrix", chatId: room })).toEqual([]);
    }));

  test("a chat on WhatsApp that cannot be written to now", () =>
    withSomebody(async (person) => {
      const error = { code: 131_047, message: "(#131047) Re-engagement message" };
      platforms.whatsapp.failNext(json(400, { error }));
      const word = `whatsapp:${person.whatsAppNumber}`;
      const reason =
        "The person last wrote more than 24 hours ago: WhatsApp takes only templates until they write again.";
      expect(await staysWith(person, word)).toBe(failed(word, reason));
      expect(problems.splice(0)).toEqual([`A message to ${word} was not sent: ${reason}`]);
    }));
});

/** A room on Matrix in which there are only others. */
async function roomOfOthers(room: string): Promise<string> {
  for (const from of ["@eve:matrix.test", "@mallory:matrix.test"])
    await platforms.matrix.write({ text: "just us", in: "group", room, from });
  return room;
}

test("nothing went wrong behind it", () => expect(problems).toEqual([]));
