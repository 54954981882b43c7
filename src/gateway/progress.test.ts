/** What is said of the tools that run: when it is worth a word, how often, and in words that nothing can break. */
import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import { PassingTime } from "../../test/support/passing-time.js";
import type { ToolCall } from "../session/transcript.js";
import {
  ASKED_MS,
  LONG_MS,
  Progress,
  progressLines,
  progressWords,
  UPDATE_MS,
  waitingTexts,
} from "./progress.js";

const call = (name: string, args: unknown = {}): ToolCall => ({
  id: name,
  name,
  arguments: typeof args === "string" ? args : JSON.stringify(args),
});

describe("the words", () => {
  const running = [{ call: call("terminal", { command: "npm test", timeout: 5 }), since: 0 }];

  it("name the tool, what it works on, and since when", () => {
    expect(progressLines(running, 12_400, true)).toBe("⏳ `terminal`: `npm test`, for 12 s");
    expect(progressWords(running, 12_400, true)).toBe("is running terminal: npm test, for 12 s");
    expect(progressLines(running, 5_049, true)).toContain("for 5 s");
    expect(progressLines(running, 185_000, true)).toContain("for 3 min");
  });

  it("name nothing but the tool in a group", () => {
    expect(progressLines(running, 12_000, false)).toBe("⏳ `terminal`, for 12 s");
    expect(progressWords(running, 12_000, false)).toBe("is running terminal, for 12 s");
  });

  it("name no server in a group", () => {
    const wait = { reason: "llm.internal\u001b[2J is `down` (503)", until: 90_000 };
    expect(waitingTexts(wait, 0, true)).toEqual({
      lines: "⏳ `llm.internal is 'down' (503)`: trying again in 2 min",
      words: "is waiting for the model (llm.internal is `down` (503)), trying again in 2 min",
    });
    expect(waitingTexts(wait, 88_500, false)).toEqual({
      lines: "⏳ The model can't answer now: trying again in 2 s",
      words: "is waiting for the model, trying again in 2 s",
    });
  });

  it.each([
    ["no words", { count: 3 }],
    ["not an object", ["a"]],
    ["not JSON", "{"],
    ["too long to be read", JSON.stringify({ text: "x".repeat(20_000) })],
  ])("leave out arguments that are %s", (_, args) => {
    expect(progressLines([{ call: call("act", args), since: 0 }], 5_000, true)).toBe("⏳ `act`, for 5 s");
  });

  it("name the first of many", () => {
    const many = ["a", "b", "c", "d", "e"].map((name) => ({ call: call(name), since: 0 }));
    expect(progressLines(many, 9_000, true).split("\n")).toEqual([
      ...["a", "b", "c"].map((name) => `⏳ \`${name}\`, for 9 s`),
      "⏳ 2 more",
    ]);
    expect(progressWords(many, 9_000, true)).toBe("is running a, for 9 s, and 4 more");
    expect([progressLines([], 9_000, true), progressWords([], 9_000, true)]).toEqual([
      "⏳ Thinking",
      "is thinking",
    ]);
  });

  it("stay one short line of code spans, whatever a tool is called and given", () => {
    const text = fc.oneof(
      fc.string({ unit: "binary", maxLength: 200 }),
      fc.constantFrom("`", "``` \n# a", "a\u001b[2Jb", "\u202egnp", "[x](http://y)", "@everyone <!channel>"),
    );
    const LINE = /^⏳ `[^`\p{Cc}\u2028\u2029]+`(?:: `[^`\p{Cc}\u2028\u2029]+`)?, for 5 s$/u;
    fc.assert(
      fc.property(text, text, (name, argument) => {
        const one = [{ call: call(name, { argument }), since: 0 }];
        const lines = progressLines(one, 5_000, true);
        expect(lines).toMatch(LINE);
        expect(lines.length).toBeLessThan(160);
        const words = progressWords(one, 5_000, true);
        expect(words).toMatch(/^is running [^\p{Cc}\u2028\u2029]+, for 5 s$/u);
        expect(words.length).toBeLessThan(170);
      }),
    );
  });
});

describe("progress", () => {
  let time: PassingTime;
  let told: string[];
  let progress: Progress;
  beforeEach(() => {
    time = new PassingTime();
    told = [];
    progress = new Progress({
      hints: true,
      elapsed: () => time.now,
      later: time.later,
      changed: () => told.push(progress.lines),
    });
  });

  it("is not worth a word if every tool is done within a moment, however many there are", async () => {
    for (let n = 0; n < 10; n += 1) {
      const quick = call("quick");
      progress.started(quick);
      await time.pass(LONG_MS - 1);
      progress.finished(quick);
    }
    expect([told, progress.lines, progress.words, time.waiting]).toEqual([[], "", "", 0]);
  });

  it("says whom a question waits for, and afterwards what runs", async () => {
    const words: string[] = [];
    progress = new Progress({
      hints: true,
      elapsed: () => time.now,
      later: time.later,
      changed: () => words.push(progress.words),
    });
    progress.asked();
    progress.asked();
    await time.pass(ASKED_MS - 1);
    expect(words).toEqual([]);
    await time.pass(1);
    expect([words, progress.isWaiting]).toEqual([["is waiting for you"], true]);
    progress.answered();
    await time.pass(UPDATE_MS);
    expect(words).toEqual(["is waiting for you", "is waiting for you"]);
    progress.started(call("slow"));
    progress.answered();
    expect([progress.words, progress.isWaiting]).toEqual(["", false]);
    await time.pass(LONG_MS);
    expect(words.at(-1)).toBe("is running slow, for 5 s");
    progress.end();
    expect(time.waiting).toBe(0);
  });

  it("is told after a moment, then every ten seconds, and less often after a minute", async () => {
    progress.started(call("slow"));
    await time.pass(LONG_MS - 1);
    expect(told).toEqual([]);
    await time.pass(1);
    expect(told).toEqual(["⏳ `slow`, for 5 s"]);
    await time.pass(UPDATE_MS);
    expect(told).toEqual(["⏳ `slow`, for 5 s", "⏳ `slow`, for 15 s"]);
    await time.pass(600_000);
    expect(told.length).toBeLessThan(30);
    progress.end();
    expect([progress.lines, time.waiting]).toEqual(["", 0]);
  });

  it("has all tools that run, each with its own time, and says what is left of them", async () => {
    const [slow, slower] = [call("slow"), call("slower")];
    progress.started(slower);
    await time.pass(3_000);
    progress.started(slow);
    await time.pass(2_000);
    await time.pass(UPDATE_MS);
    expect(told).toEqual([
      "⏳ `slower`, for 5 s\n⏳ `slow`, for 2 s",
      "⏳ `slower`, for 15 s\n⏳ `slow`, for 12 s",
    ]);
    progress.finished(slower);
    await time.pass(UPDATE_MS);
    expect(told.at(-1)).toBe("⏳ `slow`, for 22 s");
    progress.finished(slow);
    await time.pass(UPDATE_MS);
    expect(told.at(-1)).toBe("⏳ Thinking");
  });

  it("tells two calls of one id apart", async () => {
    const [one, two] = [call("act"), call("act")];
    progress.started(one);
    progress.started(two);
    progress.finished(one);
    await time.pass(LONG_MS);
    expect(told).toEqual(["⏳ `act`, for 5 s"]);
  });

  it("rests while the turn speaks, and begins again with the next long tool", async () => {
    const slow = call("slow");
    progress.started(slow);
    await time.pass(LONG_MS);
    progress.finished(slow);
    progress.pause();
    expect([progress.lines, time.waiting]).toEqual(["", 0]);
    progress.started(call("next"));
    await time.pass(LONG_MS);
    expect(told.at(-1)).toBe("⏳ `next`, for 5 s");
  });

  it("says until when the model's server is waited for, and that the model answers again", async () => {
    const reason = "api.example.com is rate-limiting you (429)";
    const wait = { reason, waitMs: 15_000, attempt: 2, attempts: 4 };
    progress.waits({ ...wait, waitMs: LONG_MS - 1 });
    await time.pass(UPDATE_MS);
    expect([told, time.waiting]).toEqual([[], 0]);
    progress.waits(wait);
    await time.pass(2 * UPDATE_MS);
    expect(told.splice(0)).toEqual(
      ["in 15 s", "in 5 s", ""].map((when) => `⏳ \`${reason}\`: trying again ${when}`.trimEnd()),
    );
    progress.waits({ ...wait, waitMs: 1_000 }); // Now it is worth a word.
    expect(told.splice(0)).toEqual([`⏳ \`${reason}\`: trying again in 1 s`]);
    progress.answers();
    await time.pass(UPDATE_MS);
    expect(told).toEqual(["⏳ Thinking"]);
    progress.waits(wait);
    progress.pause();
    expect([progress.lines, time.waiting]).toEqual(["", 0]);
    progress.end();
    progress.waits(wait);
    expect([progress.lines, time.waiting]).toEqual(["", 0]);
  });

  it("has nothing to say after its end", async () => {
    progress.end();
    progress.started(call("late"));
    await time.pass(60_000);
    expect([told, time.waiting]).toEqual([[], 0]);
  });
});
