/** What a turn says is cut beside other work, however the turn ends: nothing of it is measured at once. */
import { expect, it } from "vitest";
import { AgentError } from "../agent/agent.js";
import { TurnRun, type TurnSetting } from "./turn-run.js";

it.each([
  ["done", "piece by piece", undefined],
  ["done", "whole", undefined],
  ["failed", "piece by piece", new AgentError("The model is away.")],
])(
  "a long answer of a turn that is %s, said %s, is cut before its pieces are asked for",
  async (end, how, error) => {
    const said = "words ".repeat(2_000);
    const message = { role: "assistant", content: said } as const;
    const cut = new Set<string>();
    const asked: string[] = [];
    const setting: Partial<TurnSetting> = {
      agent: {
        name: "one that talks",
        async *run() {
          yield how === "whole" ? { kind: "message", message, results: [] } : { kind: "text", text: said };
          if (error) throw error;
        },
      },
      turns: { finish: async () => true } as Partial<TurnSetting["turns"]> as TurnSetting["turns"],
      tools: async () => [],
      prompt: "",
      labels: null,
      history: [],
      shared: false,
      cut: async (text) => void cut.add(text),
      pieces: (text) => {
        if (!cut.has(text)) asked.push(text);
        return [text];
      },
      maxSends: 9,
      replyTo: null,
      account: "a",
      owner: () => "",
      clock: () => 0,
      elapsed: () => 0,
      leaseMs: 60_000,
      deadlineMs: 60_000,
      onCommit: () => {},
    };
    const turn = { id: "t", sessionId: "s", fence: 1, address: {} } as Partial<TurnRun["turn"]>;
    expect(await new TurnRun(turn as TurnRun["turn"], setting as TurnSetting).run()).toBe(end);
    expect(cut).toContain(said);
    expect(asked).toEqual([]);
  },
);
