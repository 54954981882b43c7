/**
 * Two terminals, three scripts and a gateway with two chats on one store type at random, against an oracle: no line is in
 * another's session, no answer comes twice, none is lost. With BATON_TEST_FULL=1, for ten minutes.
 */
import { afterEach, describe, expect, test } from "vitest";
import { randomFrom } from "../support/random.mjs";
import { killAll, pty } from "./pty-chat.js";
import { TypingChat } from "./typing-chat.js";
import { type Books, faults, type TypedLine } from "./typing-oracle.js";
import { runScript, type ScriptDeath, type ScriptWish } from "./typing-script.js";
import { TypingTerminal } from "./typing-terminal.js";
import { CHAT_IDS, type Conversation, TypingWorld } from "./typing-world.js";

const isFull = process.env.BATON_TEST_FULL === "1";
const ACTIONS = 70;
const FULL_MS = 600_000;
const SEED = Number(process.env.BATON_TEST_SEED ?? 16);

afterEach(killAll);

/** Picks one by its weight. */
function picked<Choice>(random: () => number, choices: readonly (readonly [number, Choice])[]): Choice {
  const sum = choices.reduce((all, [weight]) => all + weight, 0);
  let left = random() * sum;
  for (const [weight, choice] of choices) {
    left -= weight;
    if (left < 0) return choice;
  }
  throw new Error("Nothing to choose from.");
}

/** One that can be named, most often a late one. */
function anyOf({ conversations }: TypingWorld, random: () => number): Conversation | null {
  const known = conversations.filter(({ sessionId }) => sessionId !== null).slice(-6);
  return known[Math.floor(random() * known.length)] ?? null;
}

function terminalAction(
  world: TypingWorld,
  terminal: TypingTerminal,
  random: () => number,
): () => Promise<void> {
  const named = anyOf(world, random);
  return picked(random, [
    [10, () => terminal.say()],
    [2, () => terminal.say({ isStopped: true })],
    [1, () => terminal.begin()],
    [1, () => terminal.begin({ isAtOnce: true })],
    [named ? 3 : 0, () => (named ? terminal.resume(named) : Promise.resolve())],
    [named ? 1 : 0, () => (named ? terminal.resume(named, { isAtOnce: true }) : Promise.resolve())],
    [1, () => terminal.reopen([], null)],
    [0.5, () => terminal.reopen(["chat", "--new"], null)],
    [named ? 0.5 : 0, () => terminal.reopen(["chat", "--session", String(named?.sessionId)], named)],
  ]);
}

function chatAction(world: TypingWorld, chat: TypingChat, random: () => number): () => Promise<void> {
  const named = anyOf(world, random);
  const shown = world.terminals[Math.floor(random() * world.terminals.length)]?.conversation;
  return picked(random, [
    [5, () => chat.say()],
    [1, () => chat.begin()],
    [named ? 1 : 0, () => (named ? chat.resume(named) : Promise.resolve())],
    [shown?.sessionId ? 2 : 0, () => (shown ? chat.resume(shown) : Promise.resolve())],
  ]);
}

function scriptAction(world: TypingWorld, name: string, random: () => number): () => Promise<void> {
  const named = anyOf(world, random);
  const wish = picked<ScriptWish>(random, [
    [3, { kind: "new" }],
    [2, { kind: "continue" }],
    ...(named ? [[5, { kind: "session", conversation: named }] as const] : []),
  ]);
  const by = picked<ScriptDeath["by"] | null>(random, [
    [6, null],
    [1, "SIGINT"],
    [1, "SIGTERM"],
    [0.5, "SIGHUP"],
    [1, "SIGKILL"],
    [1, "closed pipe"],
  ]);
  const when = picked<ScriptDeath["when"]>(random, [
    [1, "started"],
    [2, "asked"],
    [2, "begun"],
  ]);
  const death = by && { by, when: by === "closed pipe" ? "begun" : when };
  return () => runScript(world, name, wish, death);
}

describe.skipIf(!pty)(
  `typing at random${pty ? "" : " (NOT TESTED: the prebuilt PTY does not load here)"}`,
  () => {
    test(
      "keeps everybody's lines apart, answers each once, and loses none",
      async () => {
        const world = await TypingWorld.open();
        try {
          const startedAt = performance.now();
          let actions = 0;
          const goesOn = () => (isFull ? performance.now() - startedAt < FULL_MS : actions < ACTIONS);
          const first = await TypingTerminal.open(world, "terminal 1");
          const second = await TypingTerminal.open(world, "terminal 2");
          const chats = CHAT_IDS.map((id) => new TypingChat(world, id));
          const makers = [
            (random: () => number) => terminalAction(world, first, random),
            (random: () => number) => terminalAction(world, second, random),
            ...chats.map((chat) => (random: () => number) => chatAction(world, chat, random)),
            ...[1, 2, 3].map((n) => (random: () => number) => scriptAction(world, `script ${n}`, random)),
          ];
          await Promise.all(
            makers.map(async (make, index) => {
              const random = randomFrom(SEED * 100 + index);
              while (goesOn()) {
                actions++;
                await make(random)();
              }
            }),
          );
          const { found, counted } = await world.over();
          const seconds = Math.round((performance.now() - startedAt) / 1_000);
          const figures = [...counted].map(([what, times]) => `${times} ${what}`).join(", ");
          console.info(`${actions} actions in ${seconds} s, ${world.lines.length} lines: ${figures}`);
          expect(found).toEqual([]);
          expect(world.lines.length).toBeGreaterThan(ACTIONS / 2);
        } finally {
          killAll();
          await world.close();
        }
      },
      FULL_MS + 300_000,
    );
  },
);

describe("the oracle", () => {
  const line = (number: number, conversation: number, end: TypedLine["end"]): TypedLine => ({
    ...{ number, conversation, end, by: "me", askedAtEnd: end === "stopped" ? 0 : 1, isAbandoned: false },
  });
  const fine: Books = {
    lines: [line(1, 1, "answered"), line(2, 2, "answered"), line(3, 2, "refused"), line(4, 1, "stopped")],
    sessions: [
      { said: [1, 4], answers: [1] },
      { said: [2], answers: [2] },
    ],
    requests: [[1], [2]],
    screens: [{ name: "screen", answers: [1], conversations: new Set([1]) }],
  };

  test("finds nothing where nothing is wrong", () => {
    expect(faults(fine)).toEqual([]);
  });

  test.each<[string, Partial<Books>]>([
    ["in another's session", { sessions: [{ said: [1, 2, 4], answers: [1, 2] }] }],
    ["in two sessions", { sessions: [...fine.sessions, { said: [1], answers: [] }] }],
    ["answered twice", { sessions: [{ said: [1, 4], answers: [1, 1] }, ...fine.sessions.slice(1)] }],
    ["lost", { sessions: fine.sessions.slice(1) }],
    ["refused, and answered all the same", { requests: [...fine.requests, [3]] }],
    ["stopped, and asked by the next command", { requests: [...fine.requests, [1, 4]] }],
    ["seen by the model of another conversation", { requests: [[1], [1, 2]] }],
    ["shown elsewhere", { screens: [{ name: "screen", answers: [2], conversations: new Set([1]) }] }],
    ["without an end", { lines: [...fine.lines.slice(1), line(1, 1, null)] }],
  ])("finds a line %s", (_, wrong) => {
    expect(faults({ ...fine, ...wrong })).not.toEqual([]);
  });
});
