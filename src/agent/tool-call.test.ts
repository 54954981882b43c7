import { describe, expect, it } from "vitest";
import type { Tool } from "./agent.js";
import { runToolCall } from "./tool-call.js";

const tool = (run: Tool["run"]): Tool => ({ name: "echo", description: "", parameters: {}, run });
const echo = tool(async (args) => JSON.stringify(args));
const call = (args: string, name = "echo") => ({ id: "1", name, arguments: args });
const quiet = new AbortController().signal;

describe("a tool call", () => {
  it("gives the tool its arguments and returns what it returns", async () => {
    expect(await runToolCall(call('{"a":1}'), [echo], quiet)).toBe('{"a":1}');
  });

  it("tells how far it is, to whoever asks", async () => {
    const told: string[] = [];
    const teller = tool(async (_args, { progress }) => {
      progress?.("half");
      return "done";
    });
    expect(await runToolCall(call("{}"), [teller], quiet, (line) => told.push(line))).toBe("done");
    expect(await runToolCall(call("{}"), [teller], quiet)).toBe("done");
    expect(told).toEqual(["half"]);
  });

  it("makes a result of whatever goes wrong", async () => {
    expect(await runToolCall(call("{}", "other"), [echo], quiet)).toMatch(/no tool "other". Tools: echo\./);
    expect(await runToolCall(call("{}"), [], quiet)).toMatch(/Tools: none\./);
    expect(await runToolCall(call("{"), [echo], quiet)).toMatch(/not valid JSON/);
    const deep = `${"[".repeat(20_000)}${"]".repeat(20_000)}`;
    expect(await runToolCall(call(deep), [echo], quiet)).toMatch(/nested too deep/);
    const thrower = tool(() => {
      throw new Error("oops");
    });
    expect(await runToolCall(call("{}"), [thrower], quiet)).toBe("Error: the tool failed: oops");
    const rejecter = tool(() => Promise.reject("plain text"));
    expect(await runToolCall(call("{}"), [rejecter], quiet)).toBe("Error: the tool failed: plain text");
  });

  it("returns text that every store keeps", async () => {
    expect(await runToolCall(call("{}"), [tool(async () => "a\0\ud83d")], quiet)).toBe("a\ufffd\ufffd");
  });

  it("is not run once the turn was stopped", async () => {
    const runs: unknown[] = [];
    const recorder = tool(async (args) => String(runs.push(args)));
    expect(await runToolCall(call("{}"), [recorder], AbortSignal.abort())).toMatch(/^Error: not run/);
    expect(runs).toEqual([]);
  });

  it("ends with what a stopped tool returns, or without the tool", async () => {
    const polite = new AbortController();
    const listens = tool(
      (_, { signal }) => new Promise((resolve) => signal.addEventListener("abort", () => resolve("half"))),
    );
    const half = runToolCall(call("{}"), [listens], polite.signal);
    polite.abort();
    expect(await half).toBe("half");
    const rude = new AbortController();
    const left = runToolCall(call("{}"), [tool(() => new Promise(() => {}))], rude.signal);
    rude.abort();
    expect(await left).toMatch(/^Error: stopped before it finished/);
  });
});
