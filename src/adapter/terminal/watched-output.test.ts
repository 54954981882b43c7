/** What a person sees beside the answer of a script: one line that says what happens now, and what the turn used. */
import { PassThrough } from "node:stream";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { SessionId } from "../../session/ids.js";
import type { TurnFacts } from "../../session/turn-facts.js";
import { textOutput } from "./script-output.js";
import { WatchedOutput } from "./watched-output.js";

const call = { id: "1", name: "terminal", arguments: '{"command":"npm test"}' };
const other = { ...call, id: "2" };
const retry = {
  reason: "api.example.com is rate-limiting you (429)",
  waitMs: 3_000,
  attempt: 2,
  attempts: 4,
};
const tokens = { inputTokens: 3, outputTokens: 2, cacheReadTokens: 0, cacheWriteTokens: 0 };
const facts: TurnFacts = {
  ...{ sessionId: "s" as SessionId, asked: "auto", model: "big-7b" },
  usage: { ...tokens, totalTokens: 1_234, cost: 0.006 },
  session: { tokens: 1_234, cost: 0.006 },
};

let said: string[];
let columns: number;
beforeEach(() => {
  vi.useFakeTimers({ now: 0 });
  said = [];
  columns = 80;
});
afterEach(() => vi.useRealTimers());

/** What is written, in order; `line:` is the one that is written over. */
function watched({ isDumb = false } = {}): WatchedOutput {
  const stream = (name: string) => {
    const output = new PassThrough({ encoding: "utf8" });
    output.write = (chunk: string) => said.push(`${name}: ${chunk}`) > 0;
    return output;
  };
  return new WatchedOutput(textOutput(stream("out"), stream("err")), {
    progress: isDumb ? null : (line) => said.push(`line: ${line}`),
    aside: (line) => said.push(`aside: ${line}`),
    columns: () => columns,
    clock: Date.now,
  });
}
const taken = (): string[] => said.splice(0);

describe("in a terminal", () => {
  it("a command shows its last line and its seconds, until its result is printed", () => {
    const output = watched();
    output.toolCall(call);
    output.toolProgress(call, { kind: "started" });
    expect(taken()).toEqual(["err: → terminal npm test\n"]);
    vi.advanceTimersByTime(2_000);
    expect(taken()).toEqual(["line: 1 s", "line: 2 s"]);
    output.toolProgress(call, { kind: "output", text: "one\ntwo\r\nth\tree", skipped: 0 });
    expect(taken()).toEqual(["line: 2 s · th  ree"]);
    output.toolProgress(call, { kind: "ended" });
    output.toolResult(call, "one\ntwo");
    expect(taken()).toEqual(["line: ", "err: one\n… 1 more line\n"]);
    output.text("Done");
    vi.advanceTimersByTime(5_000);
    output.ended("done");
    output.done("done", facts, null);
    expect(taken()).toEqual(["out: Done", "out: \n", "aside: big-7b · 1.2k tokens · $0.006"]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("a wait is counted down, also in a narrow one, and leaves nothing behind", () => {
    const output = watched();
    output.text("Well");
    output.retry(retry);
    vi.advanceTimersByTime(1_000);
    columns = 36;
    vi.advanceTimersByTime(1_000);
    output.text(", yes.");
    expect(taken()).toEqual([
      ...["out: Well", "out: \n"],
      "line: api.example.com is rate-limiting you (429): trying again in 3 s (2 of 4)",
      "line: api.example.com is rate-limiting you (429): trying again in 2 s (2 of 4)",
      "line: …429): trying again in 1 s (2 of 4)",
      ...["line: ", "out: , yes."],
    ]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("gives the last line to a question, and takes it away for whatever is printed", () => {
    const output = watched();
    for (const each of [call, other]) output.toolProgress(each, { kind: "started" });
    vi.advanceTimersByTime(1_000);
    expect(taken()).toEqual(["line: 2 tools", "line: 1 s · 2 tools"]);
    output.asked();
    vi.advanceTimersByTime(1_000);
    expect(taken()).toEqual(["line: "]);
    output.answered();
    output.notice("By the way.");
    expect(taken()).toEqual(["line: 2 s · 2 tools", "line: ", "err: By the way.\n", "line: 2 s · 2 tools"]);
    output.ended("stopped");
    output.done("stopped", facts, null);
    expect(taken()).toEqual(["line: ", "err: ■ stopped\n"]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("says nothing of figures that are not known", () => {
    const output = watched();
    output.done("done", { ...facts, usage: { ...facts.usage, cost: null } }, null);
    output.done("done", { ...facts, model: null, usage: { ...facts.usage, totalTokens: 0 } }, null);
    output.done("done", null, null);
    expect(taken()).toEqual(["aside: big-7b · 1.2k tokens", "aside: auto"]);
  });
});

it("a terminal that can only print gets one line at the beginning of a retry", () => {
  const output = watched({ isDumb: true });
  output.toolProgress(call, { kind: "started" });
  output.retry(retry);
  vi.advanceTimersByTime(3_000);
  output.toolResult(call, "ok");
  output.done("done", facts, null);
  expect(taken()).toEqual([
    "err: api.example.com is rate-limiting you (429): trying again in 3 s (2 of 4).\n",
    "err: ok\n",
    "aside: big-7b · 1.2k tokens · $0.006",
  ]);
});
