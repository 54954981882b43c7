import { describe, expect, test } from "vitest";
import { helpWithCommand, withCommand } from "./command-words.js";

describe("a sentence names that command", () => {
  const npx = (text: string) => withCommand(text, "npx baton");

  test("in backquotes, after a colon and in lines of their own", () => {
    expect(npx("Run `baton doctor`, or `baton`.")).toBe("Run `npx baton doctor`, or `npx baton`.");
    expect(npx("By hand:\n  baton config set a b\nbaton setup")).toBe(
      "By hand:\n  npx baton config set a b\nnpx baton setup",
    );
    expect(npx('Give it as words: baton "hi".')).toBe('Give it as words: npx baton "hi".');
  });

  test("nothing else changes, and nothing at all if it is on the PATH", () => {
    for (const text of [
      "baton: Not so.",
      "/home/me/baton doctor",
      "`baton.yaml`",
      "a baton race",
      "baton.db",
    ])
      expect(npx(text)).toBe(text);
    expect(withCommand("Run `baton doctor`.", "baton")).toBe("Run `baton doctor`.");
  });

  test("in help, wherever it is", () => {
    expect(helpWithCommand("Usage: baton x\n  $ git diff | baton y\n ~/baton z", "npx baton")).toBe(
      "Usage: npx baton x\n  $ git diff | npx baton y\n ~/baton z",
    );
  });
});
