/** What a command of the agent sees of the environment that Baton was started with: a canary in it does not get there. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, existsSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { baton, makeHome } from "./support/baton.js";
import { endHost } from "./support/process-host.js";

const MAIN = fileURLToPath(new URL("../dist/main.js", import.meta.url));
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

it.each(["run", "background"])(
  "a descriptor that Baton inherited is passed to no command: %s",
  async (how) => {
    const home = makeHome();
    const work = join(home, "../work");
    writeFileSync(
      join(work, "look.sh"),
      "for f in /proc/$$/fd/*; do readlink $f; done > seen; echo whole >> seen",
    );
    writeFileSync(join(home, "../secret"), CANARY);
    const secret = openSync(join(home, "../secret"), "r");
    const env = {
      PATH: process.env.PATH,
      BATON_HOME: home,
      BATON_AGENT_PROVIDER: "offline",
      BATON_TOOLS_TERMINAL_SANDBOX: "off",
    };
    // Node.js itself closes only the first few.
    const stdio = Array.from({ length: 100 }, (_, n) => (n < 99 ? "ignore" : secret));
    const words = [MAIN, "chat", "--message", `${how} bash look.sh`];
    const run = spawn(process.execPath, words, { env, cwd: work, stdio });
    expect(await once(run, "exit")).toEqual([0, null]);
    closeSync(secret);
    const seen = () => (existsSync(join(work, "seen")) ? readFileSync(join(work, "seen"), "utf8") : "");
    await expect.poll(seen).toMatch(/whole\n$/);
    expect(seen()).not.toContain("secret");
    await endHost(home);
  },
);
