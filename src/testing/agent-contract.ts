/**
 * What every agent must do, as a vitest suite over the rules of the port. An agent that needs a model is given one that
 * plays a script: `agentContract("my agent", () => myAgent(script), cues)`.
 */

import { beforeEach, describe, expect, it } from "vitest";
import { type Agent, AgentError, type AgentEvent, type Tool, type ToolMessage } from "../agent/agent.js";
import { historyWindow } from "../session/history-window.js";
import { asSessionId } from "../session/ids.js";
import { completeUsage } from "../session/session.js";
import { type Message, parseMessage, type ToolCall } from "../session/transcript.js";

/** What a person says to make the agent do each of these. */
export interface AgentCues {
  /** Answers in words, the same ones each time. */
  readonly plain: string;
  /** Calls the tool `terminal` once, and then speaks about it. */
  readonly tool: string;
  /** Speaks, and would go on for ten seconds or more. */
  readonly slow: string;
  /** Fails. */
  readonly fail: string;
}

/** How long a stream may go on once it was told to stop. */
const SOON_MS = 2_000;

const user = (content: string): Message => ({ role: "user", content });

interface Scene {
  readonly history?: readonly Message[];
  readonly tool?: Tool;
  readonly controller?: AbortController;
  readonly steer?: () => readonly Message[];
  /** Called for each event before the next one is asked for. */
  readonly onEvent?: (event: AgentEvent) => void;
}

interface PlayedTurn {
  readonly events: readonly AgentEvent[];
  /** The session after the turn, as a store would keep it. */
  readonly history: readonly Message[];
}

export function agentContract(
  name: string,
  createAgent: () => Agent | Promise<Agent>,
  cues: AgentCues,
): void {
  describe(`agent: ${name}`, () => {
    let agent: Agent;

    beforeEach(async () => {
      agent = await createAgent();
    });

    it("has a name for the status line", () => {
      expect(agent.name).toMatch(/^\S.{0,39}$/u);
    });

    it("answers in words", async () => {
      const { events } = await tell(agent, cues.plain);
      expect(textOf(events)).toMatch(/\S/);
      expect(kinds(events)).toContain("message");
      expect(kinds(events)).not.toContain("tool call");
      expect(events.at(-1)).toEqual({ kind: "done", stopped: false });
    });

    it("answers a session that has gone on for a while", async () => {
      let history: readonly Message[] = [];
      for (const cue of [cues.plain, cues.tool, cues.tool, cues.plain]) {
        const before = history.length;
        ({ history } = await tell(agent, cue, { history }));
        expect(history.length).toBeGreaterThan(before + 1);
      }
    });

    describe("with a tool", () => {
      it("calls it, keeps its result, and speaks about it", async () => {
        const calls: unknown[] = [];
        const tool = toolThat(async (args) => {
          calls.push(args);
          return "it worked";
        });
        const { events, history } = await tell(agent, cues.tool, { tool });
        const called = events.flatMap((event) => (event.kind === "tool call" ? [event.call] : []));
        expect(called.map((call) => call.name)).toEqual([tool.name]);
        expect(calls).toEqual(called.map((call) => JSON.parse(call.arguments)));
        expect(history.filter(({ role }) => role === "tool")).toMatchObject([{ content: "it worked" }]);
        const after = events.slice(events.findIndex(({ kind }) => kind === "message"));
        expect(textOf(after)).toMatch(/\S/);
        expect(events.at(-1)).toEqual({ kind: "done", stopped: false });
      });

      it("keeps a hostile result in text that every store holds", async () => {
        const { history } = await tell(agent, cues.tool, { tool: toolThat(async () => "a\0b\ud83d") });
        expect(history.some(({ role }) => role === "tool")).toBe(true);
      });

      it("answers what is said meanwhile", async () => {
        const waiting: Message[] = [];
        const tool = toolThat(async () => {
          waiting.push(user("and another thing"));
          return "it worked";
        });
        const order: string[] = [];
        const steer = () => {
          if (waiting.length > 0) order.push("heard");
          return waiting.splice(0);
        };
        const { history } = await tell(agent, cues.tool, {
          tool,
          steer,
          onEvent: ({ kind }) => order.push(kind),
        });
        expect(waiting).toEqual([]);
        expect(order.slice(order.indexOf("heard"))).toContain("text");
        expect(history.filter(({ role }) => role === "user")).toHaveLength(2);
      });
    });

    describe("turns", () => {
      const history = [user("something else"), { role: "assistant", content: "Indeed." }] as const;

      it("share nothing, one after the other", async () => {
        const alone = await tell(await createAgent(), cues.plain, { history });
        await tell(agent, cues.tool);
        expect(textOf((await tell(agent, cues.plain, { history })).events)).toBe(textOf(alone.events));
      });

      it("share nothing, side by side", async () => {
        const alone = await tell(await createAgent(), cues.plain, { history });
        const [, beside] = await Promise.all([
          tell(agent, cues.tool),
          tell(agent, cues.plain, { history }),
          tell(agent, cues.plain),
        ]);
        expect(textOf(beside.events)).toBe(textOf(alone.events));
      });
    });

    describe("when it is stopped", () => {
      let controller: AbortController;

      beforeEach(() => {
        controller = new AbortController();
      });

      it("before it begins: does nothing", async () => {
        controller.abort();
        for (const cue of [cues.plain, cues.tool, cues.slow]) {
          const tool = toolThat(() => Promise.reject(new Error("must not run")));
          const { events } = await tell(agent, cue, { controller, tool });
          expect(events).toEqual([{ kind: "done", stopped: true }]);
        }
      });

      it("after a word: keeps what it said", async () => {
        const { events, history } = await tell(agent, cues.slow, {
          controller,
          onEvent: ({ kind }) => kind === "text" && controller.abort(),
        });
        expect(events.at(-1)).toEqual({ kind: "done", stopped: true });
        expect(history.at(-1)).toMatchObject({ role: "assistant", content: textOf(events) });
      });

      it("between two words: keeps what it said", async () => {
        // Of this test: a word that comes meanwhile aborts once more, perhaps when the next test has begun.
        const own = controller;
        const { events, history } = await tell(agent, cues.slow, {
          controller: own,
          // By then the next event has been asked for.
          onEvent: ({ kind }) => kind === "text" && setImmediate(() => own.abort()),
        });
        expect(events.at(-1)).toEqual({ kind: "done", stopped: true });
        expect(history.at(-1)).toMatchObject({ role: "assistant", content: textOf(events) });
      });

      it("while a tool runs: tells the tool, and keeps what it returned", async () => {
        const tool = toolThat(
          (_, { signal }) =>
            new Promise((resolve) => {
              signal.addEventListener("abort", () => resolve("broken off"));
              controller.abort();
            }),
        );
        const { events, history } = await tell(agent, cues.tool, { controller, tool });
        expect(events.at(-1)).toEqual({ kind: "done", stopped: true });
        expect(history.at(-1)).toMatchObject({ role: "tool", content: "broken off" });
      });

      it("while a tool hangs: leaves the tool, and keeps the call with a result", async () => {
        const tool = toolThat(() => {
          controller.abort();
          return new Promise(() => {});
        });
        const { events, history } = await tell(agent, cues.tool, { controller, tool });
        expect(events.at(-1)).toEqual({ kind: "done", stopped: true });
        expect(history.at(-1)).toMatchObject({ role: "tool", content: expect.stringMatching(/\S/) });
      });
    });

    it("fails with a sentence for the chat, and can be asked again", async () => {
      const failure = await tell(agent, cues.fail).catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(AgentError);
      expect((failure as AgentError).message).toMatch(/^\S.*[.!?]$/);
      await tell(agent, cues.plain);
    });
  });
}

/** One turn to its end. Whatever the scene, its events must make a story and its messages a valid session. */
async function tell(agent: Agent, cue: string, scene: Scene = {}): Promise<PlayedTurn> {
  const { controller = new AbortController(), tool = toolThat(async () => "it worked") } = scene;
  const given = Object.freeze([...(scene.history ?? []), user(cue)]);
  const history: Message[] = [...given];
  const events: AgentEvent[] = [];
  const stream = agent.run({
    sessionId: asSessionId("20260101_000000_0123456789ab"),
    prompt: "## Current Session Context",
    history: given,
    tools: [tool],
    signal: controller.signal,
    steer: () => {
      const messages = scene.steer?.() ?? [];
      history.push(...messages);
      return messages;
    },
  });
  const listen = async () => {
    for await (const event of stream) {
      events.push(event);
      if (event.kind === "message") history.push(event.message, ...event.results);
      scene.onEvent?.(event);
    }
  };
  await soonAfterAbort(controller.signal, listen());
  expectStory(events);
  expect(history.map(parseMessage)).toEqual(history);
  expect(history).toMatchObject(historyWindow(history, { maxMessages: history.length }));
  return { events, history };
}

/** The rules that hold for every stream that ends without an error. */
function expectStory(events: readonly AgentEvent[]): void {
  expect(kinds(events).indexOf("done")).toBe(events.length - 1);
  let words = "";
  let calls: ToolCall[] = [];
  let contents = new Map<string, string>();
  for (const event of events) {
    switch (event.kind) {
      case "text":
        words += event.text;
        break;
      case "tool call":
        calls.push(event.call);
        break;
      case "tool result":
        expect(calls).toContainEqual(event.call);
        contents.set(event.call.id, event.content);
        break;
      case "message":
        expect(event.message.content).toBe(words);
        expect(event.message.toolCalls ?? []).toEqual(calls);
        expect(event.results.map(idAndContent)).toEqual(calls.map(({ id }) => [id, contents.get(id)]));
        expect(words.length + calls.length).toBeGreaterThan(0);
        words = "";
        calls = [];
        contents = new Map();
        break;
      case "usage":
        completeUsage(event.usage);
        break;
      case "done":
        expect({ words, calls }).toEqual({ words: "", calls: [] });
        break;
      case "reasoning":
      case "retry":
        break;
      default:
        event satisfies never;
    }
  }
}

/** Fails the test whose stream goes on after the abort; a stream that ends is waited for no longer than it takes. */
async function soonAfterAbort(signal: AbortSignal, stream: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_, reject) => {
    const watch = () => {
      timer = setTimeout(reject, SOON_MS, new Error(`The stream went on for ${SOON_MS} ms after the abort.`));
    };
    if (signal.aborted) watch();
    else signal.addEventListener("abort", watch, { once: true });
  });
  try {
    await Promise.race([stream, tooLate]);
  } finally {
    clearTimeout(timer);
  }
}

function toolThat(run: Tool["run"]): Tool {
  return {
    name: "terminal",
    description: "Runs a command.",
    parameters: { type: "object", properties: { command: { type: "string" } }, required: ["command"] },
    run,
  };
}

function kinds(events: readonly AgentEvent[]): AgentEvent["kind"][] {
  return events.map(({ kind }) => kind);
}

function textOf(events: readonly AgentEvent[]): string {
  return events.map((event) => (event.kind === "text" ? event.text : "")).join("");
}

function idAndContent({ toolCallId, content }: ToolMessage): [string, string] {
  return [toolCallId, content];
}
