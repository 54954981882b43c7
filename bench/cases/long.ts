/**
 * A conversation of thousands of turns with a model of 8,000 tokens: what it takes to prepare a turn, early and late; and
 * how long the search for expired sessions takes among many that are not.
 */
import { Upkeep } from "../../src/gateway/memory/upkeep.js";
import { openStore } from "../../src/open-sessions.js";
import type { SessionSource } from "../../src/session/source.js";
import type { Message } from "../../src/session/transcript.js";
import { median } from "../measure.js";
import type { Outcome } from "../report.js";
import type { Bench } from "../run.js";

const ann: SessionSource = { platform: "telegram", chatId: "ann", chatType: "dm", userId: "ann" };
const EARLY = 100;
/** So many turns around the early and the late one are timed. */
const AROUND = 40;
const WINDOW = 8_000;

const words = (n: number) => `Turn ${n}: ${"tell me something about it, and then some more. ".repeat(4)}`;

const agent = {
  name: "bench",
  contextTokens: WINDOW,
  async *run() {
    const content = `SUMMARY\n${"They talked about this and that. ".repeat(20)}`;
    yield { kind: "message" as const, message: { role: "assistant" as const, content }, results: [] };
    yield { kind: "done" as const, stopped: false };
  },
};

export async function long({ folder, sizes, stores }: Bench): Promise<Outcome> {
  const times = await conversation(`${folder}/long.db`, sizes.longTurns);
  const at = (turn: number) => median(times.slice(turn - AROUND, turn + AROUND));
  const late = sizes.longTurns - AROUND;
  const [found, milliseconds] = await expired(await stores.withSessions(sizes.expiry), sizes.expired);
  return {
    lines: [
      { what: `preparing turn ${EARLY}`, ours: at(EARLY), raw: null, unit: "ms" },
      { what: `preparing turn ${late}`, ours: at(late), raw: null, unit: "ms" },
      {
        what: `finding ${found} expired of ${sizes.expiry} sessions`,
        ours: milliseconds,
        raw: null,
        unit: "ms",
      },
    ],
    targets: [
      { what: `turn ${late}, of turn ${EARLY}`, value: at(late) / at(EARLY), atMost: 1.3, unit: "×" },
      {
        what: `finding ${found} expired of ${sizes.expiry} sessions`,
        value: milliseconds,
        atMost: 50,
        unit: "ms",
      },
    ],
  };
}

/** How long each turn took to prepare: the window, the estimate, and what is to be done before the request. */
async function conversation(url: string, turns: number): Promise<number[]> {
  const clock = Date.now;
  const { store, sessions } = await openStore({ url });
  const upkeep = new Upkeep({
    agent,
    sessions,
    store,
    share: 0.7,
    maxMessages: 500,
    maxMemory: null,
    titles: "none",
    scopes: {},
    holder: "bench",
    clock,
    onProblem: (problem) => {
      throw new Error(problem);
    },
  });
  const times: number[] = [];
  for (let turn = 0; turn < turns; turn++) {
    const { entry } = await sessions.receive(ann, { role: "user", content: words(turn) });
    const { sessionId } = entry;
    const began = performance.now();
    const { messages, hasSummary, userSeqs } = await sessions.window(sessionId);
    const window = {
      sessionId,
      pinned: hasSummary ? 1 : 0,
      length: messages.length,
      userSeqs,
      maxMessages: 500,
    };
    const fitter = await upkeep.fitterFor(window, {});
    await fitter?.fit({ messages, besides: ["prompt"], contextTokens: WINDOW, refused: false });
    times.push(performance.now() - began);
    await upkeep.consolidator.idle(); // It runs beside the conversation.
    const call = { id: `c${turn}`, name: "run", arguments: "{}" };
    const step: Message[] = [
      { role: "assistant", content: "", toolCalls: [call] },
      { role: "tool", toolCallId: call.id, content: words(turn) },
      { role: "assistant", content: words(turn) },
    ];
    await sessions.record(sessionId, step, { inputTokens: 100 });
  }
  await sessions.close();
  return times;
}

async function expired(url: string, count: number): Promise<[number, number]> {
  const config = { reset: { default: { mode: "idle", idleMinutes: 60 } } } as const;
  // All sessions of this store are of the same time: those that do not expire are touched now.
  const now = Date.now();
  const { store, sessions } = await openStore({ url, config, clock: () => now });
  await touch(url, count, now);
  const samples: number[] = [];
  let found = 0;
  for (let round = 0; round < 5; round++) {
    found = 0;
    const began = performance.now();
    for await (const _ of sessions.expired()) found += 1;
    samples.push(performance.now() - began);
  }
  await store.close();
  return [found, median(samples)];
}

async function touch(url: string, leave: number, now: number): Promise<void> {
  const { openForSeeding } = await import("../raw.js");
  const database = openForSeeding(url);
  database.exec(
    `UPDATE sessions SET updated_at = ${now} WHERE id NOT IN (SELECT id FROM sessions ORDER BY id LIMIT ${leave})`,
  );
  database.close();
}
