/** With real processes: what a child of a program sees of what the program was started with. */
import { spawnSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { isSecret } from "../util/setting.js";
import { hideEnvironment, secretVariableNames } from "./hide-environment.js";
import { keysOf } from "./keys.js";
import { homeFile } from "./schema.js";

const CANARY = "sk-canary-0123456789";

/** A parent that hides its secrets and then lets a child look at it, whose output is what is returned. */
function seenByChild(env: Record<string, string>, hide: boolean): string {
  const program = `
    import { spawnSync } from "node:child_process";
    import { hideEnvironment } from ${JSON.stringify(new URL("./hide-environment.ts", import.meta.url).href)};
    const key = process.env.OPENAI_API_KEY;
    if (${hide}) hideEnvironment();
    const child = spawnSync("/bin/sh", ["-c", "cat /proc/$PPID/environ; echo; env"], { encoding: "utf8" });
    process.stdout.write(child.stdout);
    if (key !== ${JSON.stringify(CANARY)}) process.exit(3);
    if (${hide} && process.env.OPENAI_API_KEY !== undefined) process.exit(4);
    if (process.env.AFTER !== "still here" || process.env.LANG !== "C.UTF-8") process.exit(5);
  `;
  const run = spawnSync(process.execPath, ["--import", "tsx", "--input-type=module", "-e", program], {
    encoding: "utf8",
    env: { PATH: process.env.PATH ?? "", ...env },
  });
  expect(run.stderr).toBe("");
  expect(run.status).toBe(0);
  return run.stdout;
}

describe.runIf(process.platform === "linux")("a child that looks at its parent's environment", () => {
  const env = {
    BEFORE: "canary-before",
    OPENAI_API_KEY: CANARY,
    MIDDLE: "",
    LANG: "C.UTF-8",
    LC_TIME: "C",
    ANTHROPIC_API_KEY: `${CANARY}2`,
    AFTER: "still here",
  };

  test("sees what was not hidden", () => {
    expect(seenByChild(env, false)).toContain(CANARY);
  });

  test("sees only what every child is given; the program itself still has what is no secret of ours", () => {
    const seen = seenByChild(env, true);
    const [environ = ""] = seen.split("\0\n");
    expect(environ).not.toContain("canary");
    expect(environ).not.toContain("still here");
    for (const rest of ["PATH=/", "LANG=C.UTF-8", "LC_TIME=C", "OPENAI_API_KEY=***", "AFTER=***"]) {
      expect(environ).toContain(rest);
    }
    expect(seen).not.toContain(CANARY);
  });
});

describe("the secrets that are hidden", () => {
  test("are all that the schema knows", () => {
    const known = keysOf(homeFile)
      .filter(({ setting }) => isSecret(setting))
      .flatMap(({ variable }) => variable ?? []);
    expect(secretVariableNames()).toEqual(expect.arrayContaining(known));
  });

  test("are gone from the variables, and no others", () => {
    const variables = { OPENAI_API_KEY: "x", BATON_STORE: "y", HOME: "/h" };
    hideEnvironment(variables);
    expect(variables).toEqual({ HOME: "/h" });
  });
});
