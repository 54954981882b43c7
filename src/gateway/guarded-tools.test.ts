/** Dangerous calls are asked about, each call is journaled, and what a crash left is said, not repeated. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type Chat, until, World } from "../../test/support/gateway-world.js";
import { questionNumber } from "../../test/support/question-number.js";
import { SendError } from "../adapter/adapter.js";
import type { Agent, AgentEvent, Tool } from "../agent/agent.js";
import { runToolCall } from "../agent/tool-call.js";
import { addressOf } from "../session/source.js";
import type { ToolCall } from "../session/transcript.js";
import { ScriptedAdapter } from "../testing/scripted-adapter.js";
import { type ApprovalQuestion, Approvals, questionText } from "./approvals.js";
import type { GatewayOptions } from "./options.js";

/** Calls the tool `act` with what it was told last, all lines at once, and says what came of it. */
const caller: Agent = {
  name: "caller",
  async *run({ history, tools, signal }): AsyncIterable<AgentEvent> {
    const last = history.at(-1);
    if (last?.role !== "user") {
      const told = history.filter(({ role }) => role === "tool").map(({ content }) => content);
      const content = `Came of it: ${told.join(" | ")}`;
      yield { kind: "text", text: content };
      yield { kind: "message", message: { role: "assistant", content }, results: [] };
      yield { kind: "done", stopped: false };
      return;
    }
    const toolCalls = last.content
      .replace(/^\[[^\]]*\] /, "")
      .split("\n")
      .map((line, n): ToolCall => ({ id: `call-${n}`, name: "act", arguments: JSON.stringify({ line }) }));
    yield { kind: "text", text: "I act." };
    for (const call of toolCalls) yield { kind: "tool call", call };
    const results = await Promise.all(
      toolCalls.map(async (call) => ({
        role: "tool" as const,
        toolCallId: call.id,
        content: await runToolCall(call, tools, signal),
      })),
    );
    yield { kind: "message", message: { role: "assistant", content: "I act.", toolCalls }, results };
    const content = `Came of it: ${results.map((result) => result.content).join(" | ")}`;
    yield { kind: "text", text: content };
    yield { kind: "message", message: { role: "assistant", content }, results: [] };
    yield { kind: "done", stopped: signal.aborted };
  },
};

/** What was really done. */
let acts: string[];
let hang: Promise<void> | undefined;
/** The process that the tool has started. */
let led: number | undefined;
let still = true;
let path = "/bin";
const act: Tool = {
  name: "act",
  description: "",
  parameters: {},
  danger: (args) => {
    const { line } = args as { line: string };
    if (line.startsWith("leave")) return { reason: "leaves the sandbox", what: line, onlyOwner: true };
    return line.startsWith("rm")
      ? {
          reason: "deletes things",
          what: `${line}\nin /work`,
          variables: { PATH: path },
          isStillSo: () => still,
        }
      : null;
  },
  async run(args, { leads }) {
    const { line } = args as { line: string };
    if (led !== undefined) leads?.(led);
    acts.push(line);
    await hang;
    return `did ${line}`;
  },
};

let world: World;
let ann: Chat;
let bob: Chat;
const options: Partial<GatewayOptions> = {
  agent: caller,
  tools: () => [act],
  toolLists: { members: ["act"] },
};

beforeEach(async () => {
  led = undefined;
  acts = [];
  hang = undefined;
  still = true;
  path = "/bin";
  world = await World.open({ gateway: options });
  ann = world.chat("ann", { chatId: "room", chatType: "group" });
  bob = world.chat("bob", { chatId: "room", chatType: "group" });
});
afterEach(() => world.close());

/** A question counts as seen once the store knows that it was sent. */
const allSaid = (chat: Chat): Promise<unknown> =>
  vi.waitUntil(() => world.store.outbox.isClear(world.adapter, addressOf(chat.source)), {
    interval: 1,
    timeout: 30_000,
  });

const whichOne = (line: string, number: number | string): string =>
  `Which one? \`${line} in /work\`: yes ${number} or no ${number}.`;

/** The question that is open, whether or not it was sent. */
async function opened(chat: Chat): Promise<ApprovalQuestion> {
  const who = await world.gateway.people.access(chat.source);
  if (!who.allowed) throw new Error(who.reason);
  const open = () => world.gateway.approvals.openTo(chat.key, who);
  await until(() => open().length === 1);
  return open()[0] as ApprovalQuestion;
}

describe("a dangerous call", () => {
  const asked = async (text: string): Promise<{ question: string; number: string }> => {
    const question = await ann.ask(text);
    expect(acts).toEqual([]);
    return { question, number: numberIn(question) };
  };
  const numberIn = (question: string): string => questionNumber(question) ?? "none";

  it("is every call of a tool that `tools.ask` names", async () => {
    await world.close();
    world = await World.open({ gateway: { ...options, toolLists: { members: ["act"], ask: ["act"] } } });
    ann = world.chat("ann", { chatId: "room", chatType: "group" });
    const { question } = await asked("look around");
    expect(question).toMatch(/^This uses act, a tool that the owner wants to be asked about\./);
    expect(question).toContain('line: "look around"');
  });

  it("is asked about with exactly what would be done, and done once it is approved", async () => {
    const { question, number } = await asked("rm -r build");
    expect(question).toMatch(/^This deletes things\.\n/);
    expect(question).toMatch(
      /\nAllow\? yes \/ no\n\(no answer in 5 minutes means no; .*this is question 1\)$/,
    );
    expect(question).toContain("```\nrm -r build\nin /work\n```");
    await allSaid(ann);
    expect(await ann.ask("/approve")).toBe("Approved: `rm -r build in /work`.");
    await until(() => ann.told.some((text) => text.includes("Came of it")));
    expect(ann.told.at(-1)).toBe("Came of it: did rm -r build");
    expect(acts).toEqual(["rm -r build"]);
    expect(await ann.ask(`/approve ${number}`)).toBe("Nothing waits for your answer.");
  });

  it("has its answers as buttons, and a press counts once and as what the person may type", async () => {
    await world.close();
    world = await World.open({ gateway: options, can: ["buttons"] });
    [ann, bob] = ["ann", "bob"].map((who) => world.chat(who, { chatId: "room", chatType: "group" })) as [
      Chat,
      Chat,
    ];
    await asked("rm -r build");
    const [allow, deny] = world.adapter.sent.at(-1)?.buttons ?? [];
    const { token } = await opened(ann);
    expect(allow).toEqual({ label: "Allow once", command: `/approve ${token}`, word: "yes" });
    expect(deny).toEqual({ label: "Deny", command: `/deny ${token}`, word: "no" });
    const press = (chat: Chat, messageId: string) =>
      world.adapter.write({ ...chat.source, userId: chat.source.userId ?? "" }, allow?.command ?? "", {
        kind: "button",
        messageId,
      });
    expect(await press(world.chat("eve", { chatId: "room", chatType: "group" }), "press/0")).toBe("refused");
    await press(bob, "press/1");
    await until(() => bob.told.at(-1) === "Nothing waits for your answer.");
    expect(acts).toEqual([]);
    expect(await press(ann, "press/2")).toBe("accepted");
    expect(await press(ann, "press/2")).toBe("duplicate");
    await until(() => ann.told.some((text) => text.includes("Came of it")));
    expect(acts).toEqual(["rm -r build"]);
    await press(ann, "press/3");
    await until(() => ann.told.at(-1) === "Nothing waits for your answer.");
  });

  describe("with buttons", () => {
    const buttonsNow = () =>
      [...world.adapter.there.messages.values()].flatMap(({ buttons = [] }) => buttons);
    beforeEach(async () => {
      await world.close();
      world = await World.open({ gateway: options, can: ["buttons", "edit"] });
      ann = world.chat("ann");
      await asked("rm -r build");
      await allSaid(ann);
      expect(buttonsNow()).toHaveLength(2);
    });

    it("loses them once it is answered in words", async () => {
      await ann.write(`/deny ${numberIn(ann.told[0] ?? "")}`);
      await world.adapter.until(() => buttonsNow().length === 0);
      expect([...world.adapter.shown.values()][0]).toBe(ann.told[0]);
    });

    it("loses them once the turn is stopped, and says so", async () => {
      await ann.write("/stop");
      await world.adapter.until(() => buttonsNow().length === 0);
      expect([...world.adapter.shown.values()][0]).toBe(
        `${ann.told[0]}\n\nI was stopped, so I did not do it.`,
      );
    });

    it("is over after a restart: a press does nothing, and says so", async () => {
      const [allow] = buttonsNow();
      await world.gateway.stop({ drainMs: 0 });
      const before = ann.told.length;
      await world.restart();
      await world.adapter.write({ ...ann.source, userId: "ann" }, allow?.command ?? "", { kind: "button" });
      await until(() => ann.told.slice(before).includes("Nothing waits for your answer."));
      expect(acts).toEqual([]);
    });
  });

  it("is not done where the answer is no, and the agent is told", async () => {
    const { number } = await asked("rm it");
    await ann.ask(`/deny ${number}`);
    await until(() => ann.told.some((text) => text.includes("the person said no")));
    expect(acts).toEqual([]);
  });

  it("is answered by the person whose turn it is, not by others in the room", async () => {
    const { number } = await asked("rm it");
    expect(await bob.ask(`/approve ${number}`)).toBe("Nothing waits for your answer.");
    expect(await bob.ask("/deny")).toBe("Nothing waits for your answer.");
    const elsewhere = world.chat("ann");
    expect(await elsewhere.ask(`/approve ${number}`)).toBe("Nothing waits for your answer.");
    expect(acts).toEqual([]);
    await allSaid(ann);
    await ann.ask("/approve");
    await until(() => acts.length === 1);
  });

  it.each(["/approve", "/deny"])("is not meant by a bare %s that may be for the one before", async (bare) => {
    const { number } = await asked("rm one");
    await ann.ask(`/deny ${number}`);
    await until(() => ann.told.some((text) => text.includes("the person said no")));
    await ann.write("rm two");
    await until(() => ann.told.at(-1)?.includes("rm two") === true);
    await allSaid(ann);
    expect(await ann.ask(bare)).toMatch(/^Which one\? `rm two in \/work`: yes \d or no \d\.$/);
    expect(acts).toEqual([]);
    await allSaid(ann);
    world.now += 10_000;
    expect(await ann.ask(bare)).toMatch(/^(Approved|Denied): `rm two/);
  });

  it("is not meant by a bare answer that came before it was shown", async () => {
    let show: () => void = () => {};
    const shown = new Promise<void>((resolve) => {
      show = resolve;
    });
    const send = world.adapter.send.bind(world.adapter);
    world.adapter.send = async (message) => {
      await shown;
      return send(message);
    };
    await ann.write("rm it");
    const { number } = await opened(ann);
    await ann.write("/approve");
    // Its answer waits behind the question.
    const pending = () => world.store.outbox.pending(world.adapter, 10);
    const isAnswered = async () => (await pending()).some(({ text }) => text.startsWith("Which one?"));
    await vi.waitUntil(isAnswered, { timeout: 30_000 });
    show();
    await until(() => ann.told.some((text) => text === whichOne("rm it", number)));
    expect(acts).toEqual([]);
  });

  it.each(["/approve", "/deny"])("is not meant by a bare %s before it is in the outbox", async (bare) => {
    let goOn: () => void = () => {};
    const held = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const add = world.store.outbox.add.bind(world.store.outbox);
    world.store.outbox.add = async (deliveries, now) => {
      if (deliveries.some(({ text }) => text.includes("Allow?"))) await held;
      return add(deliveries, now);
    };
    await ann.write("rm it");
    const { number } = await opened(ann);
    expect(await ann.ask(bare)).toBe(whichOne("rm it", number));
    goOn();
    await until(() => ann.told.some((text) => text.includes("Allow?")));
    await allSaid(ann);
    expect(await ann.ask(bare)).toMatch(/^(Approved|Denied): /);
  });

  it.each(["permanent", "unknown"] as const)(
    "is not meant by a bare answer if sending it failed (%s)",
    async (outcome) => {
      const send = world.adapter.send.bind(world.adapter);
      let tried = false;
      world.adapter.send = async (message) => {
        if (!message.text.includes("Allow?")) return send(message);
        tried = true;
        throw new SendError(outcome, "400 bad request");
      };
      await ann.write("rm it");
      const { number } = await opened(ann);
      await until(() => tried);
      await allSaid(ann);
      for (const [n, bare] of ["/approve", "/deny"].entries()) {
        await ann.write(bare);
        const asked = () => ann.told.filter((text) => text === whichOne("rm it", number));
        await until(() => asked().length === n + 1);
      }
      expect(acts).toEqual([]);
      await ann.write(`/approve ${number}`);
      await until(() => ann.told.some((text) => text.startsWith("Approved: ")));
      await until(() => acts.length === 1);
    },
  );

  it("is meant by a bare answer only where it was shown: in that chat, by that bot", async () => {
    await world.close();
    const other = new ScriptedAdapter({ account: "other bot", shared: true });
    const config = { scopes: { dm: "platform" } } as const;
    world = await World.open({ gateway: options, config, beside: [other] });
    const [here, chat, bot] = [
      world.chat("ann"),
      world.chat("ann", { chatId: "elsewhere" }),
      world.chat("ann", {}, other),
    ];
    const number = numberIn(await here.ask("rm it"));
    await allSaid(here);
    for (const elsewhere of [chat, bot])
      expect(await elsewhere.ask("/approve")).toBe(whichOne("rm it", number));
    expect(acts).toEqual([]);
    expect(await here.ask("/approve")).toMatch(/^Approved: /);
    await until(() => acts.length === 1);
  });

  it("holds up none of the others, and each has its own answer", async () => {
    await ann.write("ls\nrm one\nrm two");
    await until(() => ann.told.length === 2);
    expect(acts).toEqual(["ls"]);
    const numberOf = (what: string) => numberIn(ann.told.find((text) => text.includes(what)) ?? "");
    expect(await ann.ask("/approve")).toMatch(/^Which one\?\n.*: yes 1 or no 1\.\n.*: yes 2 or no 2\.$/);
    await ann.ask(`/approve ${numberOf("rm two")}`);
    await ann.ask(`/deny ${numberOf("rm one")}`);
    await until(() => ann.told.some((text) => text.includes("Came of it")));
    expect(acts).toEqual(["ls", "rm two"]);
  });

  it("is not done when the turn is stopped while it waits", async () => {
    const { number } = await asked("rm it");
    await ann.ask("/stop");
    await world.gateway.lane(ann.key).idle();
    await ann.write(`/approve ${number}`);
    await until(() => ann.told.includes("Nothing waits for your answer."));
    expect(acts).toEqual([]);
    expect(await ann.transcript()).toContainEqual(expect.stringMatching(/^tool: .*not run|^tool: Stopped/));
  });

  it("is not done where it is too long to show, and hides nothing in what is shown", async () => {
    await ann.write(`rm ${"x".repeat(3_000)}`);
    await until(() => ann.told.some((text) => text.includes("too long to show")));
    const { question } = await asked("rm a\u202e\u200b ``` b");
    expect(question).toContain('"rm a\\u{202e}\\u{200b} ``` b\\nin /work"');
    expect(question).toMatch(/^````$/m);
    expect(question).toContain("invisible or look-alike characters");
  });

  it("is not done where what was approved has become something else", async () => {
    still = false;
    const { number } = await asked("rm it");
    await ann.ask(`/approve ${number}`);
    await until(() => ann.told.some((text) => text.includes("the folder has changed")));
    expect(acts).toEqual([]);
  });

  it("is left after a while without an answer", async () => {
    const approvals = new Approvals({}, () => 0, world.store.accounts);
    const danger = { reason: "deletes", what: "rm" };
    const author = await world.gateway.people.access(ann.source);
    if (!author.allowed) throw new Error("Ann is let in.");
    const about = { tool: "act", key: ann.key, number: 1, author, danger };
    const { question, outcome } = approvals.ask(about, new AbortController().signal, 0);
    const look = { minutes: 5, isAlone: true, isGroup: false, isByKey: false, isPassing: false };
    expect(questionText(question, look)).toContain("no answer in 5 minutes means no");
    expect(questionText(question, { ...look, isByKey: true })).toMatch(
      /\n\nAllow\? y \/ n\n\(no answer in 5 minutes means no; this is question 1\)$/,
    );
    const byOwner = { ...question, author: { ...author, role: "owner" as const } };
    expect(questionText(byOwner, { ...look, isByKey: true })).toContain("Allow? y / n / a(lways here)\n");
    expect(questionText(byOwner, { ...look, isByKey: true, isPassing: true })).toContain("Allow? y / n\n");
    expect(await outcome).toBe("expired");
    expect(approvals.openTo(ann.key, author)).toEqual([]);
    const aborted = approvals.ask(about, AbortSignal.abort(), 1_000);
    expect(await aborted.outcome).toBe("stopped");
  });
});

describe("what an owner allows always", () => {
  /** A room with an owner and a member in it. */
  async function room(): Promise<{ boss: Chat; member: Chat }> {
    await world.close();
    const { platform } = world.adapter;
    world = await World.open({ gateway: options, people: { owners: { [platform]: ["boss"] } } });
    const place = { chatId: "room", chatType: "group" } as const;
    return { boss: world.chat("boss", place), member: world.chat("ann", place) };
  }

  /** Writes, and waits until this is said, whatever else is said before it. */
  async function said(chat: Chat, text: string, answer: RegExp): Promise<RegExpExecArray> {
    const before = chat.told.length;
    const found = () => chat.told.slice(before).find((line) => answer.test(line));
    await chat.write(text);
    await until(() => found() !== undefined);
    return answer.exec(found() ?? "") as RegExpExecArray;
  }
  const QUESTION = /^This deletes things\.[\s\S]*\nAllow\?/;
  const DONE = /^Came of it: did/;

  it("is not asked about again: exactly this, in this chat, also after a restart", async () => {
    const { boss } = await room();
    const [question] = await said(boss, "rm -r build", /^This deletes.*\nAllow\? yes \/ no \/ always\n.*$/s);
    expect(question).toContain("always: I do not ask again about exactly this here");
    const number = questionNumber(question);
    await said(boss, `/approve ${number} always`, /^Approved, now and always/);
    await until(() => boss.told.some((line) => DONE.test(line)));
    await world.restart();
    await said(boss, "rm -r build", DONE);
    expect(acts).toEqual(["rm -r build", "rm -r build"]);
    await said(boss, "rm -r builds", QUESTION);
    await allSaid(boss);
    await said(boss, "/deny", /^Denied/);
    path = "/elsewhere:/bin"; // It may find another rm.
    await said(boss, "rm -r build", QUESTION);
    await allSaid(boss);
    await said(world.chat("boss"), "rm -r build", QUESTION);
    expect(acts).toEqual(["rm -r build", "rm -r build"]);
  });

  it("is listed, and asked about again once it is taken back", async () => {
    const { boss } = await room();
    await said(boss, "/approve list", /^Nothing is always allowed in this chat\.$/);
    await said(boss, "rm it", QUESTION);
    await allSaid(boss);
    await said(boss, "/approve always", /^Approved, now and always/);
    await until(() => boss.told.some((line) => DONE.test(line)));
    const [, id = ""] = await said(boss, "/approve list", /^(\d+): `act: rm it in \/work`, for \S+:boss$/m);
    await said(world.chat("boss"), `/approve forget ${id}`, /^Which one\?/);
    await said(boss, "/approve forget x", /^Which one\?/);
    await said(boss, `/approve forget ${id}`, new RegExp(`^I will ask again about ${id}\\.$`));
    await said(boss, "rm it", QUESTION);
  });

  it("is for an owner to say, and holds for the person whose call it was", async () => {
    const { boss, member } = await room();
    const [, question = ""] = await said(member, "rm it", /^(This deletes things\.[\s\S]*\nAllow\?[\s\S]*)$/);
    const number = questionNumber(question);
    expect(question).not.toContain("always");
    for (const words of [`${number} always`, "always", "list", "forget 1"])
      await said(member, `/approve ${words}`, /^Only an owner can allow something always\.$/);
    expect(acts).toEqual([]);
    await said(boss, `/approve ${number} always`, /^Approved, now and always/);
    await until(() => member.told.some((line) => DONE.test(line)));
    await said(member, "rm it", DONE);
    expect(acts).toEqual(["rm it", "rm it"]);
    await said(boss, "rm it", QUESTION);
    expect(acts).toEqual(["rm it", "rm it"]);
  });
});

describe("what only an owner may allow", () => {
  it("is asked each time: it cannot be allowed always, and the question offers no such thing", async () => {
    await world.close();
    const owners = { [world.adapter.platform]: ["cleo"] };
    world = await World.open({ gateway: options, people: { owners } });
    const cleo = world.chat("cleo");
    const question = await cleo.ask("leave it");
    expect(question).toMatch(/^This leaves the sandbox\./);
    expect(question).not.toContain("always");
    const number = questionNumber(question);
    expect(await cleo.ask(`/approve ${number} always`)).toBe(
      `I ask about this each time, so it can't be allowed always. To allow it once: yes ${number}`,
    );
    expect(acts).toEqual([]);
    await cleo.write(`/approve ${number}`);
    await until(() => cleo.told.some((text) => text.includes("did leave it")));
    expect(await cleo.ask("/approve list")).toBe("Nothing is always allowed in this chat.");
  });

  it("is not run, and said so at once, in a private chat of somebody else", async () => {
    const own = world.chat("bob");
    expect(await own.ask("rm it")).toMatch(/^This deletes things\./);
    await allSaid(own);
    await own.write("/deny");
    await until(() => own.told.some((text) => text.includes("the person said no")));
    await own.write("leave it");
    await until(() => own.told.some((text) => text.includes("only an owner can allow it")));
    expect(own.told.filter((text) => text.startsWith("This leaves"))).toEqual([]);
    expect(acts).toEqual([]);
  });
});

describe("a process that ends in the middle of a call", () => {
  /** A gateway that hangs in the call is left behind as a dead process leaves it: its turn is taken over. */
  async function dieDuring(text: string): Promise<void> {
    let release: () => void = () => {};
    hang = new Promise((resolve) => {
      release = resolve;
    });
    await ann.write(text);
    await until(() => acts.length > 0);
    const [running] = await world.store.turns.running(world.adapter, 0);
    if (!running) throw new Error("No turn is running.");
    const taken = await world.store.turns.takeOver(running.turn, { holder: "nobody", leaseMs: 0 }, 0);
    if (taken) await world.store.turns.release(taken);
    hang = undefined;
    await world.restart();
    release();
  }

  it("says which command still runs, and how to end it", async () => {
    const outlives = spawn("sleep", ["600"], { detached: true, stdio: "ignore" });
    const group = outlives.pid ?? 0;
    const ended = once(outlives, "exit");
    led = group;
    await dieDuring("write it");
    await until(() => ann.told.some((said) => said.includes("Came of it")));
    const sentence = `act is still running (process group ${group}). To stop it, run \`kill -- -${group}\`.`;
    expect(ann.told.find((said) => said.includes("interrupted"))).toContain(sentence);
    expect((await ann.transcript())[2]).toContain(sentence);

    outlives.kill("SIGKILL");
    await ended;
    acts = [];
    await dieDuring("write that");
    await until(() => ann.told.filter((said) => said.includes("Came of it")).length === 2);
    expect(ann.told.findLast((said) => said.includes("interrupted"))).not.toContain("still running");
  });

  it("does nothing twice: the model and the person are told that nobody knows", async () => {
    await dieDuring("write it\nrm that");
    await until(() => ann.told.some((said) => said.includes("Came of it")));
    expect(acts).toEqual(["write it"]);
    const notice = ann.told.find((said) => said.includes("interrupted"));
    expect(notice).toContain('`act {"line":"write it"}`. It may or may not have taken effect');
    expect(notice).not.toContain("rm that");
    const lines = await ann.transcript();
    expect(lines.slice(0, 4)).toEqual([
      expect.stringContaining("write it"),
      "assistant: I act.",
      expect.stringMatching(/^tool: Unknown: the process ended while this was running/),
      "tool: Not run: the process ended before it began.",
    ]);
    expect(await world.store.turns.running(world.adapter, 0)).toEqual([]);
  });
});
