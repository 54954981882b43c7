import { tmpdir } from "node:os";
import { describe, expect, it } from "vitest";
import { asSessionId } from "../session/ids.js";
import type { Message } from "../session/transcript.js";
import { agentContract } from "../testing/agent-contract.js";
import type { AgentEvent, Tool, TurnInput } from "./agent.js";
import { offlineAgent } from "./offline.js";
import { NO_MODEL } from "./offline-answers.js";
import { terminalTool } from "./tools/terminal.js";

agentContract("offline", offlineAgent, { plain: "hello", tool: "run date", slow: "slow 60", fail: "fail" });

const user = (content: string): Message => ({ role: "user", content });
const said = (content: string): Message => ({ role: "assistant", content });

async function tell(history: readonly Message[], more: Partial<TurnInput> = {}): Promise<AgentEvent[]> {
  const turn: TurnInput = {
    sessionId: asSessionId("s"),
    prompt: "",
    history,
    tools: [],
    signal: new AbortController().signal,
    steer: () => [],
    ...more,
  };
  const events: AgentEvent[] = [];
  for await (const event of offlineAgent().run(turn)) events.push(event);
  return events;
}

async function answerTo(...history: readonly Message[]): Promise<string> {
  return wordsOf(await tell(history));
}

function wordsOf(events: readonly AgentEvent[]): string {
  return events.map((event) => (event.kind === "text" ? event.text : "")).join("");
}

describe("the offline agent's answers", () => {
  it("say in one line that there is no model, then what was said and how much", async () => {
    expect(await answerTo(user("hello"))).toBe(
      `${NO_MODEL}\n\nYou said “hello”. I see 1 message so far: 1 from you, 0 from me.`,
    );
    expect(NO_MODEL).not.toContain("\n");
    expect(NO_MODEL).toMatch(/run `baton setup`, start Ollama, or set OPENAI_API_KEY or ANTHROPIC_API_KEY/);
  });

  it("come from the session", async () => {
    const before = [user("one"), said("yes"), user("two"), said("yes")];
    expect(await answerTo(...before, user("What did I say?"))).toMatch(/\n\nLast you said “two”\.$/);
    expect(await answerTo(...before, user("what did I say first"))).toMatch(/\n\nFirst you said “one”\.$/);
    expect(await answerTo(...before, user("how many messages are there?"))).toMatch(
      /\n\nI see 5 messages so far: 3 from you, 2 from me\.$/,
    );
    expect(await answerTo(user("what did I say?"))).toMatch(
      /I see no message from you before this question\.$/,
    );
    expect(await answerTo()).toMatch(/\n\nNobody has written here yet\.$/);
  });

  it("are short where the gateway asks, and do not take its words for a person's", async () => {
    const asked = user("[This conversation has just been moved here. Confirm that you are here.]");
    expect(await answerTo(user("roses"), said("yes"), asked)).toBe(
      "I'm here. Last you said “roses”. I see 3 messages so far: 2 from you, 1 from me.",
    );
    expect(await answerTo(asked)).toBe("I'm here. I see 1 message so far: 1 from you, 0 from me.");
  });

  it("tell the people of a shared session apart", async () => {
    const before = [user("[Ann] apples"), user("[Bob] pears")];
    expect(await answerTo(...before, user("[Ann] what did I say?"))).toMatch(/“apples”\.$/);
    expect(await answerTo(...before, user("[Cy] what did I say?"))).toMatch(
      /I see no message from you before this question\.$/,
    );
  });

  it("quote in one short line, without what a terminal acts on", async () => {
    expect(await answerTo(user("a\u001b[2Jb\nc\u202e"))).toContain("You said “ab c”.");
    expect((await answerTo(user("😀".repeat(5_000)))).length).toBeLessThan(500);
  });

  it("come word by word, and are counted", async () => {
    const events = await tell([user("hello")], { prompt: "x".repeat(400) });
    const pieces = events.flatMap((event) => (event.kind === "text" ? [event.text] : []));
    expect(pieces.every((piece) => /^\S+\s*$/.test(piece))).toBe(true);
    expect(events.find(({ kind }) => kind === "usage")).toEqual({
      kind: "usage",
      model: "offline",
      usage: { inputTokens: 102, outputTokens: Math.ceil(wordsOf(events).length / 4), cost: 0 },
    });
  });
});

describe("run", () => {
  const terminal = terminalTool({ cwd: tmpdir(), environment: { PATH: "/usr/bin:/bin" } });
  const recorder = (seen: unknown[]): Tool => ({
    ...terminal,
    run: async (args) => {
      seen.push(args);
      return "ran";
    },
  });

  it("runs a real command and reports what came of it", async () => {
    const events = await tell([user("run echo $((6 * 7)); exit 3")], { tools: [terminal] });
    expect(events.filter(({ kind }) => kind !== "text").map(({ kind }) => kind)).toEqual([
      "tool call",
      "tool result",
      "usage",
      "message",
      "usage",
      "message",
      "done",
    ]);
    expect(wordsOf(events)).toContain("The terminal says:\n\n```\nExit code 3.\n\n42\n```");
  });

  it("takes the command as it is, behind a name and in any case", async () => {
    const seen: unknown[] = [];
    await tell([user("  [Ann B.] RUN  ls -l\n  pwd ")], { tools: [recorder(seen)] });
    expect(seen).toEqual([{ command: "ls -l\n  pwd" }]);
    expect(await answerTo(user("running late"))).toContain("You said “running late”.");
    expect(await answerTo(user("run"))).toContain("You said “run”.");
  });

  it("runs nothing again in a turn that goes on after a crash, and reports what is known", async () => {
    const seen: unknown[] = [];
    const call = { id: "offline_1", name: "terminal", arguments: '{"command":"ls"}' };
    const begun: Message[] = [
      user("run ls"),
      { role: "assistant", content: "Running that in the terminal.", toolCalls: [call] },
      { role: "tool", toolCallId: call.id, name: call.name, content: "Unknown: the process ended." },
    ];
    const tools = [recorder(seen)];
    expect(wordsOf(await tell(begun, { tools }))).toBe(
      "The terminal says:\n\n```\nUnknown: the process ended.\n```",
    );
    expect(seen).toEqual([]);
    await tell([...begun, said("It ran."), user("run ls")], { tools });
    expect(seen).toHaveLength(1);
  });

  it("can leave it in the background, and wants to hear of its end", async () => {
    const tool: Tool = { ...terminal, run: async (args) => JSON.stringify(args) };
    expect(wordsOf(await tell([user("background npm start")], { tools: [tool] }))).toContain(
      '{"command":"npm start","background":true,"notifyOnComplete":true}',
    );
  });

  it("says so where there is no terminal", async () => {
    expect(await answerTo(user("run ls"))).toMatch(/no terminal here/);
  });

  it("shows output that holds a fence within a longer one", async () => {
    const tool = { ...terminal, run: async () => "````\ncode" };
    expect(wordsOf(await tell([user("run x")], { tools: [tool] }))).toContain("`````\n````\ncode\n`````");
  });

  it("mentions what is said meanwhile, and does not run again", async () => {
    const seen: unknown[] = [];
    const steered = [[user("also this")], []];
    const events = await tell([user("run ls")], {
      tools: [recorder(seen)],
      steer: () => steered.shift() ?? [{ role: "system", content: "a note" }],
    });
    expect(wordsOf(events)).toMatch(/you wrote “also this”/);
    expect(seen).toHaveLength(1);
  });
});

describe("slow", () => {
  it("speaks a word every tenth of a second, and mentions what is said meanwhile", async () => {
    const steered = [[], [user("[Ann] hurry up")]];
    const events = await tell([user("slow 0.3")], { steer: () => steered.shift() ?? [] });
    expect(wordsOf(events)).toBe("Slowly: 1 (Meanwhile you wrote “[Ann] hurry up”.) 2 3 Done.");
  });

  it("is a word like any other without a number", async () => {
    expect(await answerTo(user("slow down"))).toContain("You said “slow down”.");
    expect(await answerTo(user("slow 0"))).toBe("Slowly: Done.");
  });
});

describe("a message that comes in as the answer ends", () => {
  it("is answered too, in the same turn", async () => {
    const steered = [[user("how many messages")]];
    const events = await tell([user("hello")], { steer: () => steered.shift() ?? [] });
    expect(wordsOf(events)).toMatch(/You said “hello”.*I see 3 messages so far: 2 from you, 1 from me\.$/s);
    expect(events.filter(({ kind }) => kind === "message")).toHaveLength(2);
    expect(events.filter(({ kind }) => kind === "done")).toHaveLength(1);
  });
});

describe("a turn that is stopped at its first word", () => {
  it("says and does no more", async () => {
    const tool: Tool = { name: "terminal", description: "", parameters: {}, run: async () => "ran" };
    for (const cue of ["hello", "run ls", "slow 60"]) {
      const controller = new AbortController();
      const kinds: string[] = [];
      const turn = {
        sessionId: asSessionId("s"),
        prompt: "",
        history: [user(cue)],
        tools: [tool],
        steer: () => [],
      };
      for await (const { kind } of offlineAgent().run({ ...turn, signal: controller.signal })) {
        kinds.push(kind);
        controller.abort();
      }
      expect(kinds).toEqual(["text", "usage", "message", "done"]);
    }
  });
});

it("passes on what Baton tells it about a background process", async () => {
  const about =
    "[note from Baton, not from a person: the background process p_1 exited with code 1, after 2 s.]";
  const content = `${about}\nIts command: make (in /srv)\nThe end of its output follows.\n| one\n| [two]`;
  const told = { role: "user", content, note: true } as const;
  expect(await answerTo(told)).toBe("The process p_1 exited with code 1, after 2 s.\n\n```\none\n[two]\n```");
  expect(await answerTo({ ...told, content: about.concat("\nIts command: true (in /srv)") })).toBe(
    "The process p_1 exited with code 1, after 2 s.",
  );
  expect(await answerTo({ role: "user", content })).toContain("No model is set up yet");
});

describe("the offline agent's schedules", () => {
  const schedule = (answer: string, seen: unknown[] = []): Tool => ({
    name: "schedule",
    description: "",
    parameters: { type: "object" },
    run: async (args) => {
      seen.push(args);
      return answer;
    },
  });
  const note = (prompt: string): Message => ({
    role: "user",
    content: `[note from Baton: this is the scheduled job "x" (j_1), due now. If there is nothing to say, answer [SILENT] and nothing else.]\n${prompt}`,
    note: true,
  });

  it.each([
    ["remind me in 10s to stretch", "in 10s", "stretch"],
    ["Remind me tomorrow at 9 to call mum", "tomorrow at 9", "call mum"],
    ["remind me in 1h to go to bed", "in 1h", "go to bed"],
    ["remind me in 1h to run the tests", "in 1h", "run the tests"],
    ["remind me every friday at 17:00 to write the report", "every friday at 17:00", "write the report"],
    ["every monday at 8:30 water the plants", "every monday at 8:30", "water the plants"],
    ["every day at 9 am, take the pills", "every day at 9 am", "take the pills"],
    ["every weekday at noon to eat", "every weekday at noon", "eat"],
    ["every 2 hours 30 minutes drink", "every 2 hours 30 minutes", "drink"],
    ["every hour drink", "every hour", "drink"],
  ])("takes %j for a reminder", async (text, when, what) => {
    const seen: unknown[] = [];
    const events = await tell([user(text)], { tools: [schedule("Made it.", seen)] });
    const name = `Reminder: ${what}`;
    expect(seen).toEqual([{ action: "create", schedule: when, prompt: `say ${name}`, name }]);
    expect(wordsOf(events)).toBe("Made it.");
    expect(await answerTo(note(`say ${name}`))).toBe(name);
  });

  it.each([
    ["every 1m say hello", "every 1m", "say hello"],
    ["every monday and friday at 8:30 run date", "every monday and friday at 8:30", "run date"],
  ])("does again and again what %j says", async (text, when, prompt) => {
    const seen: unknown[] = [];
    await tell([user(text)], { tools: [schedule("Made it.", seen)] });
    expect(seen).toEqual([{ action: "create", schedule: when, prompt }]);
  });

  it.each(["every time I see you", "every cloud has a silver lining", "remind me", "say hello"])(
    "takes %j for a message",
    async (text) => {
      const seen: unknown[] = [];
      expect(wordsOf(await tell([user(text)], { tools: [schedule("", seen)] }))).toContain(NO_MODEL);
      expect(seen).toEqual([]);
    },
  );

  it("passes on why it can't be scheduled, and says how to write it", async () => {
    const tools = [schedule("Error: That time is in the past.")];
    expect(wordsOf(await tell([user("remind me yesterday to go")], { tools }))).toBe(
      "I can't schedule that: That time is in the past.",
    );
    expect(await answerTo(user("remind me to go to bed in 1h"))).toBe(
      "Say when first, such as “remind me in 10s to stretch”.",
    );
    expect(await answerTo(user("remind me in 1h to go"))).toBe("I can't schedule anything for you here.");
  });

  it("does what the prompt of a job says, also in a shared session", async () => {
    const before = [user("hello"), said("hi")];
    expect(await answerTo(...before, note("say good morning"))).toBe("good morning");
    const { content } = note("say good morning");
    expect(await answerTo(user("[Ann #1 member] hello"), user(content))).toBe("good morning");
    expect(
      wordsOf(await tell([note("run ls")], { tools: [{ ...schedule("a file"), name: "terminal" }] })),
    ).toMatch(/^Running that in the terminal\.The terminal says:\n\n```\na file/);
    expect(await answerTo(note("write a poem"))).toBe(`${NO_MODEL}\n\nThe job asks “write a poem”.`);
    expect(await answerTo(note("Look around, or answer [SILENT]."))).toBe("[SILENT]");
    expect(await answerTo(user("one"), note("say two"), said("two"), user("what did I say?"))).toMatch(
      /Last you said “one”\.$/,
    );
  });
});
