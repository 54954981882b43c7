/** What a chat sees of a turn whose tools take long: one message, a draft, or the platform's own line; then the answer. */

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type Chat, until, World, type WorldOptions } from "../../test/support/gateway-world.js";
import { PassingTime } from "../../test/support/passing-time.js";
import { questionNumber } from "../../test/support/question-number.js";
import { SendError } from "../adapter/adapter.js";
import { type Agent, AgentError, type AgentEvent, type Tool } from "../agent/agent.js";
import { runToolCall } from "../agent/tool-call.js";
import type { SessionSource } from "../session/source.js";
import type { ToolCall } from "../session/transcript.js";
import { type ScriptedAbility, ScriptedAdapter } from "../testing/scripted-adapter.js";

/** What the agent does in one turn: it says something, waits for its model, or calls tools side by side. */
type Step =
  | { readonly say: string }
  | { readonly waitMs: number }
  | { readonly before?: string; readonly call: readonly string[] };

let script: readonly Step[];
let time: PassingTime;
let world: World;
let ann: Chat;
/** The calls that run, by what they work on; each ends when the test says so. */
let running: Map<string, () => void>;

const agent: Agent = {
  name: "scripted",
  async *run({ history, tools, signal }): AsyncIterable<AgentEvent> {
    if (history.some(({ role }) => role === "tool") && script.length === 0) return;
    for (const [n, step] of script.entries()) {
      if ("say" in step) {
        if (step.say === "fail") throw new AgentError("The model is gone.");
        yield { kind: "text", text: step.say };
        yield { kind: "message", message: { role: "assistant", content: step.say }, results: [] };
        continue;
      }
      if ("waitMs" in step) {
        const reason = "llm.example.com is rate-limiting you (429)";
        yield { kind: "retry", reason, waitMs: step.waitMs, attempt: 2, attempts: 4 };
        await new Promise<void>((resolve) => running.set("retry", resolve));
        continue;
      }
      const toolCalls = step.call.map((work, m): ToolCall => {
        const args = JSON.stringify({ work });
        return { id: `c${n}.${m}`, name: "terminal", arguments: args };
      });
      if (step.before) yield { kind: "text", text: step.before };
      for (const call of toolCalls) yield { kind: "tool call", call };
      const results = await Promise.all(
        toolCalls.map(async (call) => {
          const content = await runToolCall(call, tools, signal);
          return { role: "tool" as const, toolCallId: call.id, content };
        }),
      );
      if (signal.aborted) return yield { kind: "done", stopped: true };
      const content = step.before ?? "";
      yield { kind: "message", message: { role: "assistant", content, toolCalls }, results };
    }
    yield { kind: "done", stopped: false };
  },
};

const terminal: Tool = {
  name: "terminal",
  description: "",
  parameters: {},
  danger: (args) => {
    const { work } = args as { work: string };
    return work.startsWith("rm") ? { reason: "deletes things", what: work } : null;
  },
  run: (args, { signal }) =>
    new Promise((resolve) => {
      const { work } = args as { work: string };
      const end = (): void => {
        running.delete(work);
        resolve(`did ${work}`);
      };
      running.set(work, end);
      signal.addEventListener("abort", end);
    }),
};

beforeEach(() => {
  time = new PassingTime();
  running = new Map();
});
afterEach(() => world.close());

async function begin(
  can: readonly ScriptedAbility[],
  steps: readonly Step[],
  more: { place?: Partial<SessionSource>; gateway?: WorldOptions["gateway"] } = {},
): Promise<void> {
  script = steps;
  const tools = () => [terminal];
  const { later } = time;
  world = await World.open({
    can,
    people: { owners: { [new ScriptedAdapter().platform]: ["ann"] } },
    gateway: { agent, tools, later, elapsed: () => time.now, ...more.gateway },
  });
  ann = world.chat("ann", more.place);
}

/** What the chat shows now, oldest first. */
const shown = () => [...world.adapter.shown.values()];
const runs = (work: string) => until(() => running.has(work));
const isAtRest = () => until(() => world.gateway.lane(ann.key).isEmpty);
const ends = (work: string) => running.get(work)?.();

const ONE_TOOL: readonly Step[] = [{ call: ["npm test"] }, { say: "All green." }];
const EDITS: readonly ScriptedAbility[] = ["edit", "remove", "typing"];
const AFTER_5 = "⏳ `terminal`: `npm test`, for 5 s";

describe("a model that has to be waited for", () => {
  const STEPS: readonly Step[] = [{ waitMs: 30_000 }, { say: "All green." }];

  it("is told in one message, which becomes the answer", async () => {
    await begin(EDITS, STEPS);
    await ann.write("hello");
    await until(() => shown().length > 0);
    expect(shown()).toEqual(["⏳ `llm.example.com is rate-limiting you (429)`: trying again in 30 s"]);
    await time.pass(20_000);
    expect(shown()).toEqual(["⏳ `llm.example.com is rate-limiting you (429)`: trying again in 10 s"]);
    ends("retry");
    await until(() => shown().includes("All green."));
    expect([shown().length, world.adapter.sent.length]).toEqual([1, 1]);
  });

  it("is told in a group without the name of its server, in the platform's own line if it has one", async () => {
    const place = { chatId: "team", chatType: "thread", threadId: "t1" } as const;
    await begin([...EDITS, "status"], STEPS, { place });
    await ann.write("hello");
    await until(() => world.adapter.said.length > 0);
    ends("retry");
    await until(() => shown().length === 1);
    expect(world.adapter.said[0]).toBe("is waiting for the model, trying again in 30 s");
    expect(world.adapter.said.join()).not.toContain("example");
    expect([shown(), world.adapter.edits]).toEqual([["All green."], []]);
  });
});

describe("a tool that takes long", () => {
  it("is told in one message, which becomes the answer", async () => {
    await begin(EDITS, ONE_TOOL);
    await ann.write("test it");
    await runs("npm test");
    await time.pass(4_999);
    expect(shown()).toEqual([]);
    await time.pass(1);
    expect(shown()).toEqual([AFTER_5]);
    await time.pass(9_999);
    expect(world.adapter.edits).toEqual([]);
    await time.pass(1);
    expect(shown()).toEqual(["⏳ `terminal`: `npm test`, for 15 s"]);
    ends("npm test");
    await isAtRest();
    await until(() => shown().includes("All green."));
    expect(shown()).toEqual(["All green."]);
    expect(world.adapter.sent).toHaveLength(1);
    expect(world.problems).toEqual([]);
    await time.pass(600_000);
    expect([shown(), time.waiting]).toEqual([["All green."], 0]);
  });

  it("is told nothing of if it is done within a moment: the answer is one call", async () => {
    await begin(["edit", "remove", "drafts", "status"], ONE_TOOL);
    await ann.write("test it");
    await runs("npm test");
    await time.pass(3);
    ends("npm test");
    await isAtRest();
    await until(() => shown().length === 1);
    await time.pass(600_000);
    const { sent, edits, drafted, said } = world.adapter;
    expect([sent.length, edits, drafted, said]).toEqual([1, [], [], []]);
  });

  it("is named alone in a group", async () => {
    await begin(EDITS, ONE_TOOL, { place: { chatId: "team", chatType: "group" } });
    await ann.write("test it");
    await runs("npm test");
    await time.pass(5_000);
    expect(shown()).toEqual(["⏳ `terminal`, for 5 s"]);
  });

  it("stands below the words before it, and goes from there", async () => {
    await begin(EDITS, [{ before: "I test it.", call: ["npm test"] }, { say: "All green." }]);
    await ann.write("test it");
    await runs("npm test");
    await time.pass(5_000);
    expect(shown()).toEqual([`I test it.\n\n${AFTER_5}`]);
    ends("npm test");
    await until(() => shown().length === 2);
    expect(shown()).toEqual(["I test it.", "All green."]);
  });

  it("costs no edit on a platform that can't take a message back, also below words that are there", async () => {
    await begin(["edit", "typing"], [{ before: "Let me look.", call: ["npm test"] }, { say: "All green." }]);
    await ann.write("test it");
    await runs("npm test");
    await time.pass(600_000);
    expect([shown(), world.adapter.edits]).toEqual([["Let me look."], []]);
    ends("npm test");
    await isAtRest();
    await until(() => shown().includes("All green."));
    expect([shown(), world.adapter.edits]).toEqual([["Let me look.", "All green."], []]);
  });

  it("is one of several: all are told, and the next ones in the same message", async () => {
    await begin(EDITS, [{ call: ["one", "two"] }, { call: ["three"] }, { say: "Done." }]);
    await ann.write("go");
    await runs("two");
    await time.pass(5_000);
    expect(shown()).toEqual(["⏳ `terminal`: `one`, for 5 s\n⏳ `terminal`: `two`, for 5 s"]);
    ends("one");
    await time.pass(10_000);
    expect(shown()).toEqual(["⏳ `terminal`: `two`, for 15 s"]);
    ends("two");
    await runs("three");
    await time.pass(10_000);
    expect(shown()).toEqual(["⏳ `terminal`: `three`, for 10 s"]);
    ends("three");
    await until(() => shown().includes("Done."));
    expect([shown(), world.adapter.sent.length]).toEqual([["Done."], 1]);
  });

  it("begins an answer of several messages with its message", async () => {
    const long = Array.from({ length: 30 }, (_, n) => `Line ${n} ${"x".repeat(200)}`).join("\n\n");
    await begin(EDITS, [{ call: ["npm test"] }, { say: long }]);
    await ann.write("test it");
    await runs("npm test");
    await time.pass(5_000);
    const [first = ""] = world.adapter.shown.keys();
    ends("npm test");
    await isAtRest();
    await until(() => shown().length > 1);
    expect(world.adapter.shown.get(first)).toMatch(/^Line 0 /);
    expect(shown().join("\n\n")).toBe(long);
  });

  it.each([
    ["the settings say so", EDITS, { progress: false }],
    ["the platform cannot take a message back", ["edit", "typing"] as const, {}],
    ["the platform cannot edit", ["remove"] as const, {}],
  ])("is not told of if %s", async (_, can, gateway) => {
    await begin(can, ONE_TOOL, { gateway });
    const isClear = vi.spyOn(world.store.outbox, "isClear");
    await ann.write("test it");
    await runs("npm test");
    await time.pass(600_000);
    expect(shown()).toEqual([]);
    expect(isClear.mock.calls.length).toBeLessThan(2); // The store is not asked for nothing.
    ends("npm test");
    await until(() => shown().length === 1);
    expect([shown(), world.adapter.edits]).toEqual([["All green."], []]);
  });
});

describe("the message about a tool goes", () => {
  it.each(["stopped", "interrupted", "deadline"] as const)("if the turn is %s", async (reason) => {
    await begin(EDITS, ONE_TOOL);
    await ann.write("test it");
    await runs("npm test");
    await time.pass(5_000);
    expect(shown()).toEqual([AFTER_5]);
    world.gateway.lane(ann.key).run?.stop(reason);
    await isAtRest();
    await until(() => !shown().includes(AFTER_5));
    await until(() => shown().length === (reason === "deadline" ? 1 : 0));
    await time.pass(600_000);
    expect(shown()).toEqual(reason === "deadline" ? [expect.stringMatching(/^I stopped after/)] : []);
    expect(time.waiting).toBe(0);
  });

  it("if the turn fails; the chat reads why", async () => {
    await begin(EDITS, [{ call: ["npm test"] }, { say: "fail" }]);
    await ann.write("test it");
    await runs("npm test");
    await time.pass(5_000);
    ends("npm test");
    await isAtRest();
    await until(() => shown().length === 1 && !shown().includes(AFTER_5));
    expect(shown()).toEqual(["The model is gone. Try again with /retry."]);
  });

  it("if the platform no longer lets it be edited: the answer is a message of its own", async () => {
    await begin(EDITS, ONE_TOOL);
    await ann.write("test it");
    await runs("npm test");
    await time.pass(5_000);
    expect(shown()).toEqual([AFTER_5]);
    Object.assign(world.adapter, {
      edit: async () => {
        throw new SendError("permanent", "It is too old to be edited.");
      },
    });
    await time.pass(60_000);
    ends("npm test");
    await until(() => shown().includes("All green."));
    await world.gateway.delivered();
    expect(shown()).toEqual(["All green."]);
  });

  it("if this process stops, before it has stopped", async () => {
    await begin(EDITS, ONE_TOOL);
    await ann.write("test it");
    await runs("npm test");
    await time.pass(5_000);
    const { adapter } = world;
    const { remove } = adapter;
    let wasCut = false;
    Object.assign(adapter, {
      remove: async (...call: Parameters<NonNullable<typeof remove>>) => {
        for (let n = 0; n < 500 && !wasCut; n += 1) {
          await new Promise((resolve) => setImmediate(resolve));
          wasCut = adapter.speaker === null;
        }
        await remove?.(...call);
      },
    });
    await world.gateway.stop({ drainMs: 0 });
    expect([shown(), wasCut]).toEqual([[], false]); // It waited for a platform that took its time.
  });

  it("if the turn is lost to another process", async () => {
    await begin(EDITS, ONE_TOOL);
    await ann.write("test it");
    await runs("npm test");
    await time.pass(5_000);
    expect(shown()).toEqual([AFTER_5]);
    const [open] = await world.store.turns.running(world.adapter, 0);
    if (!open) throw new Error("No turn is running.");
    await world.store.turns.takeOver(open.turn, { holder: "nobody", leaseMs: 60_000 }, 0);
    ends("npm test");
    await until(() => shown().length === 0); // The other process answers.
  });
});

describe("a process that is killed while a tool runs", () => {
  it("leaves its message; the next one says what is known of the tool, and answers below it", async () => {
    await begin(EDITS, ONE_TOOL);
    await ann.write("test it");
    await runs("npm test");
    await time.pass(5_000);
    const [open] = await world.store.turns.running(world.adapter, 0);
    if (!open) throw new Error("No turn is running.");
    world.adapter.there.remove = () => {}; // A process that is dead takes nothing back.
    const taken = await world.store.turns.takeOver(open.turn, { holder: "nobody", leaseMs: 0 }, 0);
    if (taken) await world.store.turns.release(taken);
    script = [{ say: "Shall I look again?" }];
    await world.restart();
    await until(() => shown().includes("Shall I look again?"));
    expect(shown()).toEqual([
      AFTER_5,
      expect.stringContaining("I was interrupted while this was running: `terminal"),
      "Shall I look again?",
    ]);
  });
});

describe("nothing is overtaken", () => {
  const question = () => shown().find((text) => text.startsWith("This deletes things"));
  const approve = async () => {
    await ann.write(`/approve ${questionNumber(question() ?? "")}`);
  };

  it("a tool that waits for approval does not run, and is not said to", async () => {
    await begin(EDITS, [{ call: ["rm it"] }, { say: "Gone." }]);
    await ann.write("remove it");
    await until(() => question() !== undefined);
    await time.pass(60_000);
    expect(shown()).toEqual([question()]);
    await approve();
    await runs("rm it");
    await until(() => shown().length === 2);
    await time.pass(4_999);
    expect(shown().join()).not.toContain("⏳");
    await time.pass(1);
    expect(shown().at(-1)).toBe("⏳ `terminal`: `rm it`, for 5 s");
    ends("rm it");
    await until(() => shown().includes("Gone."));
    expect(shown()).toEqual([question(), expect.stringMatching(/^Approved/), "Gone."]);
  });

  it("an answer comes below a question that was asked after the message about a tool", async () => {
    await begin(EDITS, [{ call: ["npm test"] }, { call: ["rm it"] }, { say: "Gone." }]);
    await ann.write("remove it");
    await runs("npm test");
    await time.pass(5_000);
    expect(shown()).toEqual([AFTER_5]);
    ends("npm test");
    await until(() => question() !== undefined);
    await approve();
    await runs("rm it");
    ends("rm it");
    await until(() => shown().includes("Gone."));
    await until(() => !shown().join().includes("⏳"));
    expect(shown()).toEqual([question(), expect.stringMatching(/^Approved/), "Gone."]);
  });

  it("what is told of a tool moves below what was sent meanwhile", async () => {
    await begin(EDITS, ONE_TOOL);
    await ann.write("test it");
    await runs("npm test");
    await time.pass(5_000);
    await ann.write("/whoami");
    await until(() => shown().length === 2);
    await time.pass(10_000);
    expect(shown()).toEqual([expect.stringMatching(/^Platform:/), "⏳ `terminal`: `npm test`, for 15 s"]);
    ends("npm test");
    await until(() => shown().includes("All green."));
    expect(shown()).toEqual([expect.stringMatching(/^Platform:/), "All green."]);
  });
});

describe("a platform that refuses", () => {
  it("an update gets no more of them, and the answer in its message", async () => {
    await begin(EDITS, ONE_TOOL);
    const { edit } = world.adapter;
    let edits = 0;
    Object.assign(world.adapter, {
      edit: async (...call: Parameters<NonNullable<typeof edit>>) => {
        edits += 1;
        if (edits === 1) throw new SendError("retryable", "429", { retryAfterMs: 7_000 });
        await edit?.(...call);
      },
    });
    await ann.write("test it");
    await runs("npm test");
    await time.pass(15_000);
    expect([shown(), edits]).toEqual([[AFTER_5], 1]);
    await time.pass(600_000);
    expect([edits, time.waiting]).toEqual([1, 1]); // Typing goes on.
    ends("npm test");
    await until(() => shown().includes("All green."));
    expect([shown(), edits]).toEqual([["All green."], 2]);
    expect(world.problems).toEqual([]);
  });

  it("the message gets the answer alone", async () => {
    await begin(EDITS, ONE_TOOL);
    world.adapter.there.trouble = "rate limited";
    await ann.write("test it");
    await runs("npm test");
    await time.pass(60_000);
    expect(shown()).toEqual([]);
    ends("npm test");
    await until(() => shown().length === 1);
    expect([shown(), world.adapter.edits]).toEqual([["All green."], []]);
  });
});

describe("a platform with a line for what a bot does", () => {
  const thread = { chatId: "team", chatType: "thread", threadId: "t1" } as const;
  const line = () => [...world.adapter.there.statuses.values()];

  it("shows it there, and sends nothing but the answer", async () => {
    await begin([...EDITS, "status"], ONE_TOOL, { place: thread });
    await ann.write("test it");
    await runs("npm test");
    await time.pass(5_000);
    expect([line(), shown()]).toEqual([["is running terminal, for 5 s"], []]);
    await time.pass(10_000);
    expect(line()).toEqual(["is running terminal, for 15 s"]);
    ends("npm test");
    await until(() => shown().length === 1);
    expect([shown(), line(), world.adapter.edits]).toEqual([["All green."], [], []]);
  });

  it("says there that it waits for a person, and nothing of that in a message", async () => {
    await begin([...EDITS, "status"], [{ call: ["rm it"] }, { say: "Gone." }], { place: thread });
    await ann.write("remove it");
    await until(() => shown().some((text) => text.includes("\nAllow? ")));
    await time.pass(2_000);
    await until(() => line().includes("is waiting for you"));
    expect(shown()).toHaveLength(1);
    world.now += 10_000;
    await ann.write("no");
    await until(() => shown().includes("Gone."));
    await until(() => line().length === 0);
  });

  it("shows nothing there any more if the turn is stopped", async () => {
    await begin([...EDITS, "status"], ONE_TOOL, { place: thread });
    await ann.write("test it");
    await runs("npm test");
    await time.pass(5_000);
    world.gateway.lane(ann.key).run?.stop("stopped");
    await isAtRest();
    await until(() => line().length === 0);
    expect([world.adapter.said, shown()]).toEqual([["is running terminal, for 5 s", ""], []]);
  });

  it("that has none in this chat gets a message", async () => {
    await begin([...EDITS, "status"], ONE_TOOL);
    await ann.write("test it");
    await runs("npm test");
    await time.pass(5_000);
    expect([line(), shown()]).toEqual([[], [AFTER_5]]);
  });

  it("that fails is not asked again, and gets no message instead", async () => {
    await begin([...EDITS, "status"], ONE_TOOL, { place: thread });
    let asked = 0;
    Object.assign(world.adapter, {
      status: () => {
        asked += 1;
        return Promise.reject(new SendError("retryable", "429", { retryAfterMs: 7_000 }));
      },
    });
    await ann.write("test it");
    await runs("npm test");
    await time.pass(60_000);
    expect([asked, shown()]).toEqual([1, []]);
    ends("npm test");
    await until(() => shown().length === 1);
    expect([asked, shown(), world.problems]).toEqual([1, ["All green."], []]);
  });
});

describe("a platform with drafts", () => {
  it("shows it as a draft, and the answer is the only message", async () => {
    await begin([...EDITS, "drafts"], ONE_TOOL);
    await ann.write("test it");
    await runs("npm test");
    await time.pass(5_000);
    await time.pass(10_000);
    expect(world.adapter.drafted).toEqual([AFTER_5, "⏳ `terminal`: `npm test`, for 15 s"]);
    expect(shown()).toEqual([]);
    ends("npm test");
    await until(() => shown().length === 1);
    expect([shown(), world.adapter.edits, [...world.adapter.there.drafts]]).toEqual([["All green."], [], []]);
  });
});
