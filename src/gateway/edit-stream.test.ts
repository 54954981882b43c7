import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { PassingTime } from "../../test/support/passing-time.js";
import { SendError } from "../adapter/adapter.js";
import type { Agent, AgentEvent } from "../agent/agent.js";
import { openDb } from "../open-sessions.js";
import { Sessions } from "../session/sessions.js";
import { openSqlStore } from "../store/sql-store.js";
import { ScriptedAdapter, type ScriptedOptions } from "../testing/scripted-adapter.js";
import { processHolder } from "../util/holder.js";
import type { Later } from "../util/later.js";
import { Commands } from "./commands/commands.js";
import { EditStream, editStream } from "./edit-stream.js";
import { Gateway } from "./gateway.js";

const ann = { userId: "ann", userName: "Ann" };
const settled = () => new Promise((resolve) => setImmediate(resolve));

describe("a stream", () => {
  let time: PassingTime;
  let adapter: ScriptedAdapter;
  let stream: EditStream;
  let isClear: boolean;

  const begin = async (options: ScriptedOptions = {}) => {
    time = new PassingTime();
    adapter = new ScriptedAdapter({ edits: true, ...options });
    await adapter.connect(async () => "accepted");
    const address = { platform: adapter.platform, chatId: "ann" };
    isClear = true;
    stream = new EditStream({
      surface: adapter,
      address,
      id: "t.live",
      isClear: async () => isClear,
      lettersThere: () => 0,
      elapsed: () => time.now,
      paceMs: 500,
      later: time.later,
    });
  };
  const say = async (text: string) => {
    stream.text(text);
    await settled();
  };
  const shown = () => [...adapter.shown.values()];

  beforeEach(() => begin());

  /** The first text, until it is shown. */
  const show = async (text: string) => {
    await say(text);
    await time.pass(1_500);
  };

  it("shows nothing for a moment, then what there is, but nothing of nothing", async () => {
    await say("A sentence. A line\n");
    await time.pass(1_499);
    expect(shown()).toEqual([]);
    await time.pass(1);
    expect(shown()).toEqual(["A sentence. A line\n"]);
    await begin();
    await show(" \n");
    expect(shown()).toEqual([]);
  });

  it("leaves a reply that is complete within that moment to be sent by one call", async () => {
    await say("A sentence. ");
    await time.pass(1_000);
    await say("Another one.");
    const { isSeen, message } = stream.handOver("A sentence. Another one.");
    expect([isSeen, await message]).toEqual([false, null]);
    await time.pass(5_000);
    expect([shown(), adapter.edits, time.waiting]).toEqual([[], [], 0]);
  });

  it("edits at its pace, and only what has changed", async () => {
    await show("One. ");
    for (const word of ["two", " three"]) await say(word);
    await time.pass(499);
    expect(adapter.edits).toEqual([]);
    await time.pass(1);
    expect(adapter.edits).toEqual([{ messageId: "sent-1", text: "One. two three" }]);
    await time.pass(500);
    await time.pass(500);
    expect(adapter.edits).toHaveLength(1);
    await say(" four");
    expect(shown()).toEqual(["One. two three four"]);
  });

  it("makes one call at a time, and hands over when it has returned", async () => {
    let answer: () => void = () => {};
    await begin({
      onSend: () =>
        new Promise((resolve) => {
          answer = resolve;
        }),
    });
    await show("One. ");
    await say("Two. ");
    await time.pass(5_000);
    const { message, isSeen } = stream.handOver("One. Two. ");
    expect(isSeen).toBe(true);
    answer();
    expect(await message).toEqual({ messageId: "sent-1", text: "One. " });
    await time.pass(5_000);
    expect(adapter.edits).toEqual([]);
  });

  it("begins the next reply when the one before is there", async () => {
    await say("Short");
    const first = stream.handOver("Short");
    expect(first.isSeen).toBe(false);
    expect(await first.message).toBeNull();
    await say("The second one. ");
    await time.pass(5_000);
    expect(shown()).toEqual([]);
    first.settle();
    await settled();
    expect(shown()).toEqual(["The second one. "]);
  });

  it("never cuts a character in two", async () => {
    await show("A smile.\n\ud83d");
    expect(shown()).toEqual(["A smile.\n"]);
    await say("\ude00");
    await time.pass(500);
    expect(shown()).toEqual(["A smile.\n😀"]);
  });

  it("stops for the turn when a call fails, and says what is known of the message", async () => {
    await begin({ onEdit: () => Promise.reject(new SendError("unknown", "gone")) });
    await show("One. ");
    await say("Two. ");
    await time.pass(500);
    await say("Three. ");
    await time.pass(5_000);
    const { message, settle } = stream.handOver("One. Two. Three. ");
    expect(await message).toEqual({ messageId: "sent-1", text: null });
    settle();
    await say("Another reply. ");
    expect(shown()).toEqual(["One. "]);
  });

  it("stops before the longest text, and leaves a longer reply to be sent", async () => {
    await begin({ maxText: 10 });
    await show("One. ");
    await say("Two.x");
    await time.pass(500);
    await say("y");
    await time.pass(500);
    expect(shown()).toEqual(["One. Two.x"]);
    expect(await stream.handOver("One. Two.xy").message).toBeNull();
  });

  it("says no more when the turn is over", async () => {
    await show("One. ");
    await say("two");
    stream.end();
    await say("three");
    await time.pass(5_000);
    expect(shown()).toEqual(["One. "]);
  });

  it("overtakes nothing: it begins when nothing waits to be sent there, or leaves it to the outbox", async () => {
    isClear = false;
    await show("One. ");
    for (const word of ["Two. ", "Three. "]) await say(word); // It is not asked for at each word.
    await time.pass(500);
    expect(shown()).toEqual([]);
    isClear = true;
    await time.pass(500);
    expect(shown()).toEqual(["One. Two. Three. "]);

    await begin();
    isClear = false;
    await show("One. ");
    const { isSeen, message } = stream.handOver("One. ");
    expect([isSeen, await message, shown()]).toEqual([false, null, []]);
  });

  it("is only there where the platform can edit or show drafts", () => {
    const address = { platform: adapter.platform, chatId: "ann" };
    const asked = { isClear: async () => true, lettersThere: () => 0, elapsed: () => 0 };
    const rest = { address, id: "", ...asked, later: time.later };
    expect(editStream({ surface: adapter, ...rest })).toBeInstanceOf(EditStream);
    const drafting = new ScriptedAdapter({ can: ["drafts"] });
    expect(editStream({ surface: drafting, ...rest })).toBeInstanceOf(EditStream);
    expect(editStream({ surface: new ScriptedAdapter(), ...rest })).toBeUndefined();
  });
});

describe("a stream of drafts", () => {
  let time: PassingTime;
  let adapter: ScriptedAdapter;
  let stream: EditStream;

  const begin = async (options: ScriptedOptions = {}, chatId = "ann") => {
    time = new PassingTime();
    adapter = new ScriptedAdapter({ can: ["edit", "drafts"], ...options });
    adapter.there.groups.add("team");
    await adapter.connect(async () => "accepted");
    stream = new EditStream({
      surface: adapter,
      address: { platform: adapter.platform, chatId },
      id: "t.live",
      isClear: async () => true,
      lettersThere: () => 0,
      elapsed: () => time.now,
      later: time.later,
    });
  };
  const say = async (text: string) => {
    stream.text(text);
    await settled();
  };

  it("shows what there is after a moment, at the pace of drafts, and leaves the reply to be sent", async () => {
    await begin();
    await say("One. ");
    await time.pass(1_499);
    expect(adapter.drafted).toEqual([]);
    await time.pass(1);
    await say("Two. ");
    await time.pass(999);
    expect(adapter.drafted).toEqual(["One. "]);
    await time.pass(1);
    expect(adapter.drafted).toEqual(["One. ", "One. Two. "]);
    const { isSeen, message } = stream.handOver("One. Two. ");
    expect([isSeen, await message]).toEqual([true, null]);
    await time.pass(60_000);
    expect([adapter.drafted.length, adapter.sent, adapter.edits, time.waiting]).toEqual([2, [], [], 0]);
  });

  it("shows it again before the platform forgets it, for as long as the reply is made", async () => {
    await begin();
    await say("One. ");
    await time.pass(1_500 + 23_999);
    expect(adapter.drafted).toEqual(["One. "]);
    await time.pass(1);
    expect(adapter.drafted).toEqual(["One. ", "One. "]);
    await time.pass(24_000);
    expect(adapter.drafted).toHaveLength(3);
    expect(stream.handOver("One. ").isSeen).toBe(true);
    await time.pass(60_000);
    expect([adapter.drafted.length, time.waiting]).toEqual([3, 0]);
  });

  it("is a message that grows where there are no drafts", async () => {
    await begin({}, "team");
    await say("One. ");
    await time.pass(1_500);
    await say("Two. ");
    await time.pass(1_000);
    expect([adapter.drafted, [...adapter.shown.values()]]).toEqual([[], ["One. Two. "]]);
    expect(await stream.handOver("One. Two. ").message).toEqual({ messageId: "sent-1", text: "One. Two. " });
  });

  it("begins no message if a draft fails: a platform that has enough gets the reply alone", async () => {
    let calls = 0;
    await begin({
      onDraft: () => {
        calls += 1;
        throw new SendError("retryable", "429", { retryAfterMs: 7_000 });
      },
    });
    await say("One. ");
    await time.pass(1_500);
    await say("Two. ");
    await time.pass(60_000);
    expect([calls, adapter.drafted, adapter.sent, time.waiting]).toEqual([1, [], [], 0]);
    expect(await stream.handOver("One. Two. ").message).toBeNull();
  });

  it("waits for a draft that is under way, so that it does not come after the reply", async () => {
    let answer: () => void = () => {};
    await begin({
      onDraft: () =>
        new Promise((resolve) => {
          answer = resolve;
        }),
    });
    await say("One. ");
    await time.pass(1_500);
    let isClosed = false;
    const message = stream.handOver("One. ").message.then(() => {
      isClosed = true;
    });
    await settled();
    expect(isClosed).toBe(false);
    answer();
    await message;
    expect([isClosed, time.waiting]).toEqual([true, 0]);
  });
});

describe("a turn that streams", () => {
  /** Every answer takes longer than a moment. */
  const atOnce: Later = (call) => {
    const soon = setImmediate(call);
    return () => clearImmediate(soon);
  };
  const open: { close(): Promise<void> }[] = [];
  afterEach(async () => {
    for (const each of open.splice(0).reverse()) await each.close();
  });

  type Script = (seen: ScriptedAdapter, signal: AbortSignal) => AsyncIterable<AgentEvent>;

  async function world(script: Script, options: ScriptedOptions = {}) {
    const store = await openSqlStore(await openDb("sqlite::memory:"), 0);
    const sessions = new Sessions(store);
    const adapter = new ScriptedAdapter({ edits: true, ...options });
    const agent: Agent = { name: "scripted", run: ({ signal }) => script(adapter, signal) };
    const problems: string[] = [];
    const gateway = new Gateway({
      sessions,
      store,
      agent,
      adapters: [adapter],
      commands: new Commands([], sessions),
      tools: () => [],
      scopes: {},
      toolLists: {},
      people: { allow: { [adapter.platform]: ["ann"] } },
      busy: { default: "interrupt", byPlatform: {}, byChat: {} },
      maxMessages: 500,
      deadlineMs: 60_000,
      holder: processHolder(),
      clock: Date.now,
      later: atOnce,
      onProblem: (problem) => problems.push(problem),
    });
    await gateway.start();
    open.push({ close: () => store.close() }, { close: () => gateway.stop({ drainMs: 0 }) });
    const shows = (...texts: string[]) => expect.poll(() => [...adapter.shown.values()]).toEqual(texts);
    const outboxIsEmpty = () => expect.poll(() => store.outbox.pending(adapter, 9)).toEqual([]);
    const isAtRest = () =>
      expect.poll(() => gateway.lane(`agent:main:${adapter.platform}:dm:ann` as never).isEmpty).toBe(true);
    return { adapter, gateway, problems, shows, outboxIsEmpty, isAtRest };
  }

  const text = (said: string): AgentEvent => ({ kind: "text", text: said });
  const whole = (content: string): AgentEvent => ({
    kind: "message",
    message: { role: "assistant", content },
    results: [],
  });
  const done: AgentEvent = { kind: "done", stopped: false };

  const oneReply: Script = async function* (seen) {
    yield text("Let me see. ");
    await seen.until((sent) => sent.length === 1);
    yield text("It is four.");
    yield whole("Let me see. It is four.");
    yield done;
  };

  it("ends as one message that is exactly the reply", async () => {
    const here = await world(oneReply);
    await here.adapter.write(ann, "2 + 2?");
    await here.shows("Let me see. It is four.");
    await here.outboxIsEmpty();
    expect(here.adapter.textsTo("ann")).toEqual(["Let me see. "]);
    expect(here.adapter.edits).toHaveLength(1);
    expect(here.problems).toEqual([]);
  });

  it("has a message for each step, in order, begun early or not", async () => {
    const call = { id: "c", name: "terminal", arguments: "{}" };
    const here = await world(async function* (seen) {
      yield text("Looking");
      yield { kind: "tool call", call };
      yield { kind: "tool result", call, content: "4" };
      yield {
        kind: "message",
        message: { role: "assistant", content: "Looking", toolCalls: [call] },
        results: [{ role: "tool", toolCallId: "c", name: "terminal", content: "4" }],
      };
      yield text("Found it. ");
      await seen.until((sent) => sent.length === 2);
      yield text("Four.");
      yield whole("Found it. Four.");
      yield done;
    });
    await here.adapter.write(ann, "2 + 2?");
    await here.shows("Looking", "Found it. Four.");
    await here.outboxIsEmpty();
    expect(here.problems).toEqual([]);
  });

  it.each(["stopped", "interrupted"] as const)("shows all that it had said when it is %s", async (reason) => {
    const here = await world(async function* (seen, signal) {
      yield text("One. ");
      await seen.until((sent) => sent.length === 1);
      yield text("Two, and");
      await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
      yield { kind: "done", stopped: true };
    });
    await here.adapter.write(ann, "count");
    await here.adapter.until((sent) => sent.length === 1);
    const lane = here.gateway.lane(`agent:main:${here.adapter.platform}:dm:ann` as never);
    await settled();
    lane.run?.stop(reason);
    await here.shows("One. Two, and");
    await here.outboxIsEmpty();
  });

  it("sends the reply when the first send failed", async () => {
    let sends = 0;
    let failed: () => void = () => {};
    const hasFailed = new Promise<void>((resolve) => {
      failed = resolve;
    });
    const here = await world(
      async function* () {
        yield text("One. ");
        await hasFailed;
        yield text("Two.");
        yield whole("One. Two.");
        yield done;
      },
      {
        onSend: () => {
          sends += 1;
          if (sends > 1) return;
          failed();
          throw new SendError("retryable", "slow down");
        },
      },
    );
    await here.adapter.write(ann, "count");
    await here.shows("One. Two.");
    expect(sends).toBe(2);
    expect(here.problems).toEqual([]);
  });

  it("does not overtake an answer that was refused for now", async () => {
    let asked = 0;
    let refusals = 2; // Of the beginning of the first answer, and of the answer.
    const here = await world(
      async function* () {
        const said = `Answer ${++asked}. `;
        yield text(said);
        yield whole(said);
        yield done;
      },
      {
        onSend: () => {
          if (refusals-- > 0) throw new SendError("retryable", "429", { retryAfterMs: 400 });
        },
      },
    );
    for (const question of ["1?", "2?", "3?"]) {
      await here.adapter.write(ann, question);
      await here.isAtRest();
    }
    await expect
      .poll(() => [...here.adapter.shown.values()].map((shown) => shown.trim()))
      .toEqual(["Answer 1.", "Answer 2.", "Answer 3."]);
    expect(here.problems).toEqual([]);
  });

  it("tries an edit again, and sends the reply where editing is refused", async () => {
    const outcomes = ["retryable", "permanent"] as const;
    let edits = 0;
    const here = await world(oneReply, {
      onEdit: () => {
        const outcome = outcomes[edits++];
        if (outcome) throw new SendError(outcome, "no", { retryAfterMs: 0 });
      },
    });
    await here.adapter.write(ann, "2 + 2?");
    await here.shows("Let me see. ", "Let me see. It is four.");
    await here.outboxIsEmpty();
    expect(edits).toBe(2);
    expect(here.problems).toEqual([]);
  });

  it("goes on in further messages where a reply is too long for the one it began", async () => {
    const here = await world(oneReply, { maxText: 15 });
    await here.adapter.write(ann, "2 + 2?");
    await here.shows("Let me see.", "It is four.");
  });
});
