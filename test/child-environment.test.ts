/** What a command of the agent sees of the environment that Baton was started with: a canary in it does not get there. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { baton, makeHome } from "./support/baton.js";

const CANARY = "canary-secret-51c2";

it("a secret in Baton's environment is in none of its commands' environments", async () => {
  const home = makeHome();
  const command =
    "env > seen; cat /proc/self/environ >> seen; sh -c 'env; cat /proc/self/environ' >> seen; echo whole >> seen";
  writeFileSync(join(home, "../work/look.sh"), command); // As it stands, it would be asked about.
  const run = await baton(home, ["chat", "--message", "run sh look.sh"], {
    env: {
      OPENAI_API_KEY: CANARY,
      BATON_SOME_SECRET: CANARY,
      SOMETHING_ELSE: CANARY,
      BATON_AGENT_PROVIDER: "offline",
      LANG: "C.UTF-8",
    },
  });
  expect(run.code).toBe(0);
  const seen = readFileSync(join(home, "../work/seen"), "utf8");
  expect(seen).toMatch(/whole\n$/);
  expect(seen).toContain("LANG=C.UTF-8");
  expect(seen).not.toContain(CANARY);
  expect(run.stdout + run.stderr).not.toContain(CANARY);
});
