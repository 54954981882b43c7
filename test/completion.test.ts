/** Completion as the shells themselves see it. Those that are not here are left out. */
import { execFileSync, spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { baton, makeHome } from "./support/baton.js";
import { pty } from "./terminal/pty-chat.js";

const has = (shell: string) => spawnSync(shell, ["-c", ":"]).status === 0;

/** A line with the cursor at its end, and what is offered there. */
const CASES: readonly (readonly [line: string, offered: readonly string[]])[] = [
  ["baton ses", ["sessions"]],
  ["baton sessions ex", ["explain", "export"]],
  ["baton logs --lev", ["--level"]],
  ["baton logs --level ", ["error", "info", "warn"]],
  ["baton logs -n 5 --level w", ["warn"]],
  ["baton chat --session sessions --js", ["--json"]],
  ["baton completion ", ["bash", "fish", "zsh"]],
  ["baton service unin", ["uninstall"]],
  ["baton gateway s", ["status"]],
  ["baton processes l", ["list", "logs"]],
  ["baton processes logs --l", ["--lines"]],
];

const scripts: Record<string, string> = {};
beforeAll(async () => {
  const home = makeHome();
  for (const shell of ["bash", "zsh", "fish"]) {
    const run = await baton(home, ["completion", shell]);
    expect(run).toMatchObject({ code: 0, stderr: "" });
    scripts[shell] = join(home, `completion.${shell}`);
    writeFileSync(scripts[shell], run.stdout);
  }
});

describe.runIf(has("bash"))("bash", () => {
  const offered = (...words: string[]): string[] => {
    const script = `source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _baton; printf "%s\\n" "\${COMPREPLY[@]}"`;
    const said = execFileSync("bash", ["--norc", "-c", script, "bash", scripts.bash ?? "", ...words], {
      encoding: "utf8",
    });
    return said.split("\n").filter((line) => line !== "");
  };

  test.each(CASES)("%j", (line, expected) => {
    expect(offered(...line.split(" ")).toSorted()).toEqual(expected);
  });

  test("every verb and every option that the help has", async () => {
    const help = await baton(makeHome(), ["--help"]);
    const listed = help.stdout.split("Commands:")[1] ?? "";
    const verbs = [...listed.matchAll(/^ {2}(\w+)/gm)]
      .map(([, verb]) => verb)
      .filter((verb) => verb !== "help");
    expect(verbs.length).toBeGreaterThan(5);
    expect(offered("baton", "").toSorted()).toEqual(verbs.toSorted());
  });

  test("where a file is meant, the choice is left to the shell", () => {
    expect(offered("baton", "restore", "")).toEqual([]);
    expect(offered("baton", "chat", "--session", "")).toEqual([]);
    const spec = execFileSync("bash", [
      "--norc",
      "-c",
      'source "$1"; complete -p baton',
      "bash",
      scripts.bash ?? "",
    ]);
    expect(spec.toString()).toContain("-o default");
  });
});

const FISH = "fish";

describe.runIf(has(FISH))("fish", () => {
  test.each(CASES)("%j", (line, expected) => {
    const said = execFileSync(
      FISH,
      ["--no-config", "-c", "source $argv[1]; complete -C $argv[2]", scripts.fish ?? "", line],
      {
        encoding: "utf8",
      },
    );
    const words = said
      .split("\n")
      .filter((row) => row !== "")
      .map((row) => row.split("\t")[0]);
    expect(words.toSorted()).toEqual(expected);
  });
});

describe.runIf(has("zsh") && pty !== null)("zsh", () => {
  let output = "";
  let check = () => {};
  let shell: ReturnType<NonNullable<typeof pty>["spawn"]> | null = null;
  const until = (holds: () => boolean) =>
    new Promise<void>((resolve) => {
      check = () => holds() && resolve();
      check();
    });
  beforeAll(async () => {
    shell =
      pty?.spawn("zsh", ["-f", "-i"], { cols: 200, env: { PATH: process.env.PATH ?? "", TERM: "dumb" } }) ??
      null;
    shell?.onData((data) => {
      output += data;
      check();
    });
    const setUp =
      "autoload -U compinit; compinit -u -D; zstyle ':completion:*' verbose no; unsetopt auto_menu";
    shell?.write(`${setUp}; LISTMAX=999; source '${scripts.zsh}'; PS1='> '; echo rea""dy\n`);
    await until(() => output.includes("ready"));
  });
  afterAll(() => shell?.kill("SIGKILL"));

  test.each(CASES)("%j", { retry: 2, timeout: 15_000 }, async (line, expected) => {
    output = "";
    // Ctrl-D lists what could follow; Ctrl-U takes the line away again.
    shell?.write(`${line}\u0004`);
    await until(() => expected.every((word) => output.includes(word)));
    output = "";
    shell?.write('\u0015echo don""e\n');
    await until(() => output.includes("done"));
  });
});
