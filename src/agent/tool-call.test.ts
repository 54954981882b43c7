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

  it("is not run with an argument that the tool does not have", async () => {
    const properties = { background: {}, timeout: {} };
    const exact = { ...echo, parameters: { type: "object", properties, additionalProperties: false } };
    expect(await runToolCall(call('{"timeout":1}'), [exact], quiet)).toBe('{"timeout":1}');
    expect(await runToolCall(call('{"timeout":1,"back_ground":true}'), [exact], quiet)).toBe(
      'Error: not run: `echo` has no argument "back_ground". Arguments: background, timeout.',
    );
    expect(await runToolCall(call('{"__proto__":1}'), [exact], quiet)).toContain('"__proto__"');
    expect(await runToolCall(call('{"constructor":1}'), [exact], quiet)).toContain('"constructor"');
    const open = { ...exact, parameters: { type: "object", properties } };
    expect(await runToolCall(call('{"more":1}'), [open], quiet)).toBe('{"more":1}');
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
