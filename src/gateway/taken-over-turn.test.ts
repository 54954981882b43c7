/** What the agent is given by a process that goes on with a turn of one that was killed. */
import { afterEach, expect, it } from "vitest";
import { type Chat, until, World, type WorldOptions } from "../../test/support/gateway-world.js";
import type { Agent, AgentEvent, TurnInput } from "../agent/agent.js";
import type { ToolCall } from "../session/transcript.js";

const HOUR = 3_600_000;

let world: World;
let ann: Chat;
/** How many steps a turn has that begins with `work`, before it hangs. */
let steps: number;
let hangs: number;
let given: Pick<TurnInput, "prompt" | "history">[];

const agent: Agent = {
  name: "laborious",
  async *run({ prompt, history, steer }): AsyncIterable<AgentEvent> {
    given.push({ prompt, history });
    if (history.at(-1)?.content.includes("work")) {
      for (let n = 0; n < steps; n++) {
        const call: ToolCall = { id: `c${n}`, name: "look", arguments: "{}" };
        const message = { role: "assistant" as const, content: "", toolCalls: [call] };
        yield {
          kind: "message",
          message,
          results: [{ role: "tool", toolCallId: call.id, content: `r${n}` }],
        };
        if (n === 0) while (wished !== null && steer().length === 0) await wished();
      }
      hangs += 1;
      await new Promise(() => {});
    }
    yield { kind: "message", message: { role: "assistant", content: "Done." }, results: [] };
    yield { kind: "done", stopped: false };
  },
};

/** Called until a message has joined the turn; null if none will. */
let wished: (() => Promise<void>) | null;

afterEach(() => world.close());

async function begin(options: WorldOptions, ofTurn: { steps: number }): Promise<void> {
  ({ steps } = ofTurn);
  [hangs, given, wished] = [0, [], null];
  world = await World.open({ ...options, gateway: { agent, ...options.gateway } });
  ann = world.chat("ann");
}

/** Another process takes the turn over as from one that was killed, and ends it. */
async function takenOver(): Promise<TurnInput["history"]> {
  await until(() => hangs === 1);
  const [running] = await world.store.turns.running(world.adapter, 0);
  if (!running) throw new Error("No turn is running.");
  const taken = await world.store.turns.takeOver(running.turn, { holder: "nobody", leaseMs: 0 }, 0);
  if (taken) await world.store.turns.release(taken);
  await world.restart();
  await until(() => ann.told.includes("Done."));
  return given.at(-1)?.history ?? [];
}

it.each([1, 2, 3, 4, 5, 500])(
  "the message that it answers and all since, with a window of %i",
  async (maxMessages) => {
    await begin({ gateway: { maxMessages } }, { steps: 0 });
    expect(await ann.ask("hello")).toBe("Done.");
    steps = 3;
    world.adapter.sent.length = 0;
    await ann.write("work");
    const history = await takenOver();
    const asked = history.findIndex(({ content }) => content === "work");
    expect(history.slice(asked).map(({ role }) => role)).toEqual([
      "user",
      ...Array.from({ length: 3 }, () => ["assistant", "tool"]).flat(),
    ]);
    expect(asked).toBe(maxMessages === 500 ? 2 : 0);
  },
);

it("the same if somebody joined the turn meanwhile", async () => {
  const busy = { default: "steer" as const, byPlatform: {}, byChat: {} };
  await begin({ gateway: { maxMessages: 4, busy } }, { steps: 4 });
  let isWritten = false;
  wished = async () => {
    if (!isWritten) await ann.write("and hurry");
    isWritten = true;
    await new Promise((resolve) => setImmediate(resolve));
  };
  await ann.write("work");
  const history = await takenOver();
  expect(history.filter(({ role }) => role === "user").map(({ content }) => content)).toEqual([
    "work",
    "and hurry",
  ]);
  expect(history[0]?.content).toBe("work");
  expect(history).toHaveLength(10);
});

it("the same behind a summary that leaves no room", async () => {
  await begin({ gateway: { maxMessages: 1 } }, { steps: 0 });
  await ann.ask("hello");
  await world.sessions.update(ann.key, { summary: "They said hello.", consolidatedThrough: 2 });
  await ann.ask("and now?");
  expect(given.at(-1)?.history.map(({ content }) => content)).toEqual([
    expect.stringContaining("They said hello."),
    "and now?",
  ]);
});

it("why the conversation began anew", async () => {
  const config = { reset: { default: { mode: "idle", idleMinutes: 60 } } } as const;
  await begin({ config }, { steps: 1 });
  await ann.ask("hello");
  world.now += 2 * HOUR;
  world.adapter.sent.length = 0;
  await ann.write("work");
  await takenOver();
  expect(given).toHaveLength(3);
  expect(given[1]?.prompt).toContain("began after a reset (idle)");
  expect(given[2]?.prompt).toBe(given[1]?.prompt);
});
