/** With real processes: what a child of a program sees of what the program was started with. */
import { spawnSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { hideSecrets, SECRET_VARIABLES } from "./hide-secrets.js";
import { keysOf } from "./keys.js";
import { homeFile } from "./schema.js";

const CANARY = "sk-canary-0123456789";

/** A parent that hides its secrets and then lets a child look at it, whose output is what is returned. */
function seenByChild(env: Record<string, string>, hide: boolean): string {
  const program = `
    import { spawnSync } from "node:child_process";
    import { hideSecrets } from ${JSON.stringify(new URL("./hide-secrets.ts", import.meta.url).href)};
    const key = process.env.OPENAI_API_KEY;
    if (${hide}) hideSecrets();
    const child = spawnSync("/bin/sh", ["-c", "cat /proc/$PPID/environ; env"], { encoding: "utf8" });
    process.stdout.write(child.stdout);
    if (key !== ${JSON.stringify(CANARY)}) process.exit(3);
    if (${hide} && process.env.OPENAI_API_KEY !== undefined) process.exit(4);
    if (process.env.AFTER !== "still here") process.exit(5);
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
    BEFORE: "here",
    OPENAI_API_KEY: CANARY,
    MIDDLE: "here too",
    ANTHROPIC_API_KEY: `${CANARY}2`,
    AFTER: "still here",
  };

  test("sees secrets that were not hidden", () => {
    expect(seenByChild(env, false)).toContain(CANARY);
  });

  test("sees none that were, and all the rest", () => {
    const seen = seenByChild(env, true);
    expect(seen).not.toContain("canary");
    for (const rest of ["BEFORE=here", "MIDDLE=here too", "AFTER=still here", "OPENAI_API_KEY=*"]) {
      expect(seen).toContain(rest);
    }
  });
});

describe("the secrets that are hidden", () => {
  test("are all that the schema knows", () => {
    const known = keysOf(homeFile)
      .filter(({ meta }) => meta.secret)
      .flatMap(({ variable }) => variable ?? []);
    expect(SECRET_VARIABLES).toEqual(expect.arrayContaining(known));
  });

  test("are gone from the variables, and no others", () => {
    const variables = { OPENAI_API_KEY: "x", BATON_STORE: "y", HOME: "/h" };
    hideSecrets(variables);
    expect(variables).toEqual({ HOME: "/h" });
  });
});
