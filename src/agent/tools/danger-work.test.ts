/** How much work it is to judge a hostile command: counted in characters read, not in time. */
import { beforeEach, describe, expect, it, vi } from "vitest";
import { dangerOf } from "./danger.js";
import { dangerOfLaunching } from "./danger-options.js";
import { parseShell } from "./shell-parse.js";

vi.mock("./shell-parse.js", { spy: true });
vi.mock("./danger-options.js", { spy: true });

const LONGEST = 4_000;

/** Characters that were parsed, and characters of words that were held against the rules. */
function workOf(command: string): { parsed: number; looked: number } {
  vi.mocked(parseShell).mockClear();
  vi.mocked(dangerOfLaunching).mockClear();
  dangerOf(command);
  const parsed = vi.mocked(parseShell).mock.calls.reduce((sum, [text]) => sum + text.length, 0);
  const looked = vi
    .mocked(dangerOfLaunching)
    .mock.calls.reduce((sum, [, args]) => args.reduce((all, { text }) => all + text.length + 1, sum), 0);
  return { parsed, looked };
}

const HOSTILE = [
  "find -exec ",
  "find . -exec nice xargs ",
  "nice ",
  "nice sh -c ",
  "env -C / npx ",
  "xargs 'a b' ",
  "xargs 'nice ls' ",
  "bash -c 'x' ",
  "env 'a b c' nice ",
  "timeout 1 bash -c 'nice ls' ; ",
  "xargs find . -exec ls \\; ",
  "x=1;",
  "$x ",
  "{a,b}",
  "cat ~/.s* ",
  "<<E\n",
];

describe("judging a command", () => {
  beforeEach(() => vi.clearAllMocks());

  it.each(HOSTILE)("reads no more than ten times the longest command: %j, again and again", (part) => {
    const { parsed, looked } = workOf(part.repeat(Math.floor(LONGEST / part.length)));
    expect(parsed).toBeGreaterThan(0);
    expect(parsed + looked).toBeLessThanOrEqual(10 * LONGEST);
  });

  it("parses no more than 400 texts, however short they are", () => {
    workOf(`${"npx ".repeat(20)}${"'a ' ".repeat(780)}`);
    expect(vi.mocked(parseShell).mock.calls.length).toBeGreaterThan(100);
    expect(vi.mocked(parseShell).mock.calls.length).toBeLessThanOrEqual(400);
  });

  it("does not read what is too long, and has it asked about, though it looks harmless", () => {
    const longest = `echo ${"a".repeat(LONGEST - 5)}`;
    expect(dangerOf(longest)).toBeNull();
    vi.mocked(parseShell).mockClear();
    for (const allow of [undefined, ["echo"]])
      expect(dangerOf(`${longest}a`, allow ? { allow } : {})).toBe("is too long to check");
    expect(parseShell).not.toHaveBeenCalled();
  });
});
