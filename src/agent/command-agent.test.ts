import { describe, expect, it } from "vitest";
import type { Message } from "../session/transcript.js";
import type { Agent, AgentEvent, Tool, TurnInput } from "./agent.js";
import { commandAgent, isCommandCall } from "./command-agent.js";
import { commandResult } from "./tools/command-result.js";

const COMMAND = "date";
const ASKED: Message = { role: "user", content: "[note]" };

/** What a turn of the agent gave, and what was asked of the terminal. */
async function turn(
  result: string,
  {
    other = null,
    history = [ASKED],
    stop = false,
  }: { other?: Agent | null; history?: Message[]; stop?: boolean } = {},
) {
  const then = other;
  const asked: unknown[] = [];
  const stopping = new AbortController();
  const terminal: Tool = {
    name: "terminal",
    description: "",
    parameters: {},
    run: async (args) => {
      asked.push(args);
      if (stop) stopping.abort();
      return result;
    },
  };
  const input: TurnInput = {
    sessionId: "s" as TurnInput["sessionId"],
    prompt: "",
    history,
    tools: [terminal],
    signal: stopping.signal,
    steer: () => [],
  };
  const events: AgentEvent[] = [];
  let failed: string | null = null;
  try {
    for await (const event of commandAgent({ command: COMMAND, timeoutMs: 5_000, then }).run(input))
      events.push(event);
  } catch (error) {
    failed = (error as Error).message;
  }
  const messages = events.flatMap((event) =>
    event.kind === "message" ? [event.message, ...event.results] : [],
  );
  return { asked, events, failed, messages, last: events.at(-1) };
}

/** Answers with what it was given. */
const telling: Agent = {
  name: "telling",
  async *run({ history }) {
    yield { kind: "message", message: { role: "assistant", content: JSON.stringify(history) }, results: [] };
    yield { kind: "done", stopped: false };
  },
};

describe("the agent of a command", () => {
  it("says what the command printed", async () => {
    const { asked, messages, last } = await turn(commandResult(["Exit code 0."], "17 November"));
    expect(asked).toEqual([{ command: COMMAND, timeout: 5 }]);
    expect(messages).toMatchObject([
      { role: "assistant", toolCalls: [{ name: "terminal" }] },
      { role: "tool", content: "Exit code 0.\n\n17 November" },
      { role: "assistant", content: "17 November" },
    ]);
    expect(last).toEqual({ kind: "done", stopped: false });
  });

  it.each([
    ["fails", "Exit code 2.\n\nno such file"],
    ["is killed", "Killed by SIGKILL.\n\nExit code 0.\n\nall is well"],
    ["takes too long", "Timed out after 5 s. Killed by SIGTERM.\n\n(no output)"],
    ["may not run", "Error: not run: nobody allowed it."],
  ])("fails if the command %s, with all that is known", async (_, result) => {
    const { failed, messages } = await turn(result, { other: telling });
    expect(failed).toBe(result);
    expect(messages.map(({ role }) => role)).toEqual(["assistant", "tool"]);
  });

  it("wakes the other agent with what was printed, and only then", async () => {
    const printed = await turn(commandResult(["Exit code 0."], "2 mails"), { other: telling });
    const [call, result, answer] = printed.messages;
    expect(JSON.parse(answer?.content ?? "")).toEqual([ASKED, call, result]);
    const nothing = await turn(commandResult(["Exit code 0."], ""), { other: telling });
    expect(nothing.messages.at(-1)).toEqual({ role: "assistant", content: "" });
  });

  it("does not run the command again if it has its result", async () => {
    const before = (await turn(commandResult(["Exit code 0."], "once"))).messages.slice(0, 2);
    const history = [ASKED, ...before];
    const alone = await turn("unused", { history });
    expect(alone).toMatchObject({ asked: [], messages: [{ role: "assistant", content: "once" }] });
    const woken = await turn("unused", { history, other: telling });
    expect(woken.asked).toEqual([]);
    expect(JSON.parse(woken.messages[0]?.content ?? "")).toEqual(history);
  });

  it("runs it again in the next turn", async () => {
    const before = (await turn(commandResult(["Exit code 0."], "once"))).messages;
    expect((await turn("Exit code 0.\n\ntwice", { history: [ASKED, ...before, ASKED] })).asked).toHaveLength(
      1,
    );
  });

  it("says that it was stopped", async () => {
    const { last, failed } = await turn("Stopped. Killed by SIGTERM.\n\n(no output)", { stop: true });
    expect([last, failed]).toEqual([{ kind: "done", stopped: true }, null]);
  });
});

describe("isCommandCall", () => {
  it.each([
    [{ command: COMMAND, timeout: 5 }, true],
    [{ command: "rm -rf /", timeout: 5 }, false],
    [{ command: COMMAND, timeout: 50 }, false],
    [{ command: COMMAND }, false],
    [null, false],
    [{ command: COMMAND, timeout: "5" }, false],
    [{ command: COMMAND, timeout: 5, workdir: "/" }, false],
    [{ command: COMMAND, timeout: 5, background: true }, false],
  ])("%j: %s", (args, isIt) => {
    expect(isCommandCall(args, { command: COMMAND, timeoutMs: 5_000 })).toBe(isIt);
  });
});
