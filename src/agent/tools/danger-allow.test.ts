/** A list of allowed commands: every command of a line must be on it, and nothing else may reach out. */
import { describe, expect, it } from "vitest";
import { dangerOf } from "./danger.js";

const allow = ["git status", "git log", "npm test", "ls", "cat", "echo", "cd", "grep", "rm", "head"];
const NOT_LISTED = "is not on the list of allowed commands";

describe("a list of allowed commands", () => {
  it.each([
    "ls",
    "ls -la src",
    "git status --short",
    "npm test -- --run",
    "git status && git log --oneline | head -5",
    "for f in a b; do cat $f; done",
    'echo "$(git status)"',
    "cat <<E\n$(ls)\nE",
    "ls > out.txt 2>&1",
    "ls 2> /dev/null",
    "cd src && ls",
    "NODE_ENV=test npm test",
    "x=1; echo $x",
    "rm -rf build ~/old", // The owner has listed `rm`, whatever comes after it.
    "grep -rn foo . | cat",
  ])("lets %j run", (command) => {
    expect(dangerOf(command, { allow })).toBeNull();
  });

  it.each([
    "git push",
    "git",
    "git -C /x status",
    "npm install",
    "./ls",
    "/bin/ls",
    "ls; pwd",
    "ls | sort",
    "ls && whoami",
    "echo $(whoami)",
    "echo `whoami`",
    "cat <(whoami)",
    "cat <<E\n$(whoami)\nE",
    "if true; then ls; fi",
    "ls() { echo x; }; pwd",
    "l''s; pw''d",
    "env ls",
    "ls > /tmp/x",
    "ls > ../x",
    "ls > ~/x",
    "ls > $x",
    "ls > .git/hooks/x",
    "cat ~/.ssh/id_rsa",
    "cat ~/.s*/id_*",
    "cat < ~/.netrc",
    "cd / && rm -rf home",
    "cd ~; ls",
    "LD_PRELOAD=x ls",
    "$x status",
    "g* status",
    "git $x",
    "ls )",
    "ls 'unended",
  ])("asks about %j", (command) => {
    expect(dangerOf(command, { allow })).not.toBeNull();
  });

  it("gives the danger as the reason where there is one, and the list otherwise", () => {
    expect(dangerOf("pwd", { allow })).toBe(NOT_LISTED);
    expect(dangerOf("sudo ls", { allow })).toMatch(/another user/);
    expect(dangerOf("ls", { allow: [] })).toBe(NOT_LISTED);
    expect(dangerOf("pwd")).toBeNull();
  });
});
