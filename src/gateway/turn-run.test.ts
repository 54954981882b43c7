/** What a turn is told and says is read and cut beside other work, however long it is. */
import { expect, it } from "vitest";
import { Laborious } from "../../test/support/laborious.js";
import { AgentError } from "../agent/agent.js";
import type { InboxItem } from "./inbox-item.js";
import { TurnRun, type TurnSetting } from "./turn-run.js";

const TURN = { id: "t", sessionId: "s", fence: 1, address: {} } as Partial<
  TurnRun["turn"]
> as TurnRun["turn"];
const SETTING = {
  turns: { finish: async () => true },
  tools: async () => [],
  prompt: "",
  labels: null,
  history: [] as TurnSetting["history"],
  shared: false,
  maxSends: 9,
  replyTo: null,
  account: "a",
  holder: () => "",
  clock: () => 0,
  elapsed: () => 0,
  leaseMs: 60_000,
  deadlineMs: 60_000,
  onCommit: () => {},
} as Partial<Omit<TurnSetting, "turns">> as TurnSetting;

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
    const setting: TurnSetting = {
      ...SETTING,
      agent: {
        name: "one that talks",
        async *run() {
          yield how === "whole" ? { kind: "message", message, results: [] } : { kind: "text", text: said };
          if (error) throw error;
        },
      },
      cut: async (text) => void cut.add(text),
      pieces: (text) => {
        if (!cut.has(text)) asked.push(text);
        return [text];
      },
    };
    expect(await new TurnRun(TURN, setting).run()).toBe(end);
    expect(cut).toContain(said);
    expect(asked).toEqual([]);
  },
);

it("a long history that several people share is given to the agent after others were let go first", async () => {
  const laborious = new Laborious(5);
  let given: readonly string[] = [];
  const agent: TurnSetting["agent"] = {
    name: "one that listens",
    async *run({ history }) {
      given = history.map(({ content }) => content);
      yield { kind: "done", stopped: false };
    },
  };
  const setting = { ...SETTING, agent, shared: true, history: laborious.messages };
  expect(await new TurnRun(TURN, setting).run()).toBe("done");
  expect(given).toEqual(Array(5).fill("[unverified] words"));
  expect(laborious.rounds).toBe(5);
});

it("what a person wrote is unread until the agent has read it; what waits for the next turn stays unread", async () => {
  const seen: boolean[] = [];
  let unread: () => AbortSignal = () => AbortSignal.abort();
  const run: TurnRun = new TurnRun(TURN, {
    ...SETTING,
    cut: async () => {},
    pieces: (text) => [text],
    tools: async (signal) => {
      unread = signal;
      return [];
    },
    agent: {
      name: "one that looks",
      async *run({ steer }) {
        const look = (): void => void seen.push(unread().aborted);
        look();
        run.steer({ id: 1 } as InboxItem, { role: "user", content: "steered" });
        look();
        steer();
        look();
        run.personWrote();
        look();
        run.steer({ id: 2 } as InboxItem, { role: "user", content: "steered" });
        steer();
        look();
        yield { kind: "done", stopped: false };
      },
    },
  });
  await run.run();
  expect(seen).toEqual([false, true, false, true, true]);
});
