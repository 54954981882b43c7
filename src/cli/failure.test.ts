import { CommanderError } from "commander";
import { describe, expect, test } from "vitest";
import { InputError } from "../session/errors.js";
import { reportFailure, wrongUsage } from "./failure.js";
import type { Terminal } from "./terminal.js";

function report(error: unknown, json = false): { code: number; said: string } {
  const lines: string[] = [];
  const terminal = {
    problem: (text: string) => lines.push(text),
    problemJson: (value: unknown) => lines.push(JSON.stringify(value)),
  } as unknown as Terminal;
  const code = reportFailure(error, terminal, { json, help: "baton --help" });
  return { code, said: lines.join("\n") };
}

describe("how a run ends that did not do what was asked", () => {
  test("a failure one can act on: its message, no stack", () => {
    const error = new InputError("title_too_long", "Too long\u001b[2J.");
    expect(report(error)).toEqual({ code: 1, said: "baton: Too long." });
    expect(JSON.parse(report(error, true).said)).toEqual({
      error: { code: "title_too_long", message: "Too long\u001b[2J." },
    });
  });

  test("wrong usage is 2, with the way to the help where nothing can be guessed", () => {
    expect(report(wrongUsage("Not so."))).toEqual({ code: 2, said: "baton: Not so." });
    expect(report(new CommanderError(1, "commander.missingArgument", "error: missing x"))).toEqual({
      code: 2,
      said: "baton: Missing x. See `baton --help`.",
    });
    expect(
      report(new CommanderError(1, "commander.unknownOption", "error: unknown x\n(Did you mean y?)")),
    ).toEqual({ code: 2, said: "baton: Unknown x. Did you mean y?" });
  });

  test("help that was asked for is no failure", () => {
    expect(report(new CommanderError(0, "commander.helpDisplayed", "(outputHelp)"))).toEqual({
      code: 0,
      said: "",
    });
  });

  test("a bug says so, with its stack; as JSON without", () => {
    const bug = new TypeError("x is not a function");
    const { code, said } = report(bug);
    expect(code).toBe(1);
    expect(said).toMatch(/^baton: Unexpected error: x is not a function\. .*\n.*\n {4}at /);
    expect(JSON.parse(report(bug, true).said)).toEqual({
      error: { code: "unexpected", message: expect.stringContaining("x is not a function") },
    });
  });
});
