import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { NOTHING_TYPED, typedAfter } from "./unsent.js";

const unsentOf = (parts: readonly string[], hasTerminal: boolean): string =>
  parts.reduce((typed, part) => typedAfter(typed, part, hasTerminal), NOTHING_TYPED).unsent;

describe.each([true, false])("what is unsent, with a terminal: %s", (hasTerminal) => {
  it.each<[string[], string]>([
    [["rm -rf"], "rm -rf"],
    [["rm -rf", " ~"], "rm -rf ~"],
    [["rm -rf", " ~\n"], ""],
    [["one\ntwo\nthree"], "three"],
    [["rm -rf \\\n"], "rm -rf \\\n"],
    [["rm -rf \\\n", "~"], "rm -rf \\\n~"],
    [["curl x |\n", "\n"], "curl x |\n\n"],
    [["\n"], ""],
    [["true &&\n", "rm\n"], ""],
    [["a\u0003"], "a\u0003"],
    [['rm -rf "./a\n'], 'rm -rf "./a\n'],
    [["rm -rf './a\n", "' ~"], "rm -rf './a\n' ~"],
    [["rm -rf './a\n", "' ~\n"], "' ~\n"], // A line may also begin a command of its own.
    [["rm -rf $'./a\\'\n", " ~"], "rm -rf $'./a\\'\n ~"],
    [["rm -rf `\n"], "rm -rf `\n"],
    [['rm -rf "$(echo ")"\n'], 'rm -rf "$(echo ")"\n'],
    [["rm -rf $( (echo a\n)\n"], "rm -rf $( (echo a\n)\n"],
    [["rm -rf ${a:-./a\n"], "rm -rf ${a:-./a\n"],
    [["a=(rm -rf\n", "~)\n"], ""],
    [["echo 'a' \"b\" $(c) `d` {e,f} \\'\n"], ""],
    [["# don't\n"], ""],
    [["rm -rf a # don't\n"], "rm -rf a # don't\n"], // No comment in zsh.
    [["rm -rf a | # all\n"], "rm -rf a | # all\n"],
    // Another program may have taken the first quote.
    [["read x\n'\n", "rm -rf './a\n"], "rm -rf './a\n"],
    [["it's\n", 'rm -rf "./a\n', "it's\n"], "rm -rf \"./a\nit's\n"],
  ])("%j leave %j", (parts, left) => {
    expect(unsentOf(parts, hasTerminal)).toBe(left);
  });

  it("does not depend on how the text is cut into parts", () => {
    const text = fc
      .array(fc.constantFrom("a", " ", "\n", "\r", '"', "'", "(", ")", "\\", "#", "\u007f", "\u000f"))
      .map((all) => all.join(""));
    fc.assert(
      fc.property(text, fc.array(fc.nat(40)), (whole, cuts) => {
        const at = [...cuts].sort((a, b) => a - b);
        const parts = [0, ...at].map((from, index) => whole.slice(from, at[index] ?? whole.length));
        expect(unsentOf(parts, hasTerminal)).toBe(unsentOf([whole], hasTerminal));
        expect(whole.endsWith(unsentOf([whole], hasTerminal))).toBe(true);
      }),
    );
  });

  it("is bounded, is never cut at its front, and is over when what is open is closed", () => {
    const begin = 'rm -rf "./a';
    const typed = Array.from({ length: 3_000 }, () => " ./a\n");
    const left = unsentOf([begin, ...typed], hasTerminal);
    expect(left).toHaveLength(4_000);
    expect(left.startsWith(begin)).toBe(true);
    expect(unsentOf([begin, ...typed, '"\n', "x"], hasTerminal)).toBe('"\nx');
    expect(unsentOf([begin, ...typed, "y", '"\nx'], hasTerminal)).toBe('y"\nx');
    const keys = unsentOf([begin, "x".repeat(100_000), "y"], hasTerminal);
    expect(keys).toHaveLength(4_000);
    expect(keys.startsWith(begin)).toBe(true);
  });

  it("follows a guess for a while only", () => {
    const lines = Array.from({ length: 100 }, () => `echo "${"x".repeat(90)}"\n`);
    const commit = ['git commit -m "a\n', 'b"\n'];
    expect(unsentOf([...commit, ...lines.slice(0, 15)], hasTerminal)).toMatch(/^b"\n/);
    expect(unsentOf([...commit, ...lines], hasTerminal)).toBe("");
  });

  it("stays if more is open than can be followed", () => {
    const deep = `${"(".repeat(100)}\n`;
    expect(unsentOf([deep, `${")".repeat(100)}\n`], hasTerminal)).toContain(deep);
  });
});

it("Enter is a carriage return on a terminal only", () => {
  expect(unsentOf(["rm -rf ./a\r", " ~"], true)).toBe(" ~");
  expect(unsentOf(["rm -rf ./a\r", " ~"], false)).toBe("rm -rf ./a\r ~");
});

it.each([
  'rm -rf "\u007f"./a\r',
  'rm -rf \u001b" "./a\r',
  'true "\u000frm -rf "./a\r',
  "x' \u000f' rm -rf '\r",
])("a quote that is left open by keys counts: %j", (text) => {
  expect(unsentOf([text], true)).toBe(text);
});
