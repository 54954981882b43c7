/**
 * What a command in the background can see of Baton's secrets, in the ways that others learnt of the hard way: its own
 * environment, that of every process of this user, descriptors that it inherited, and words of command lines. With a
 * sandbox and without.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { baton, makeHome } from "../support/baton.js";
import { endHost } from "../support/process-host.js";

const CANARY = "canary-secret-77d1";

/** The canary is in no command line or file of the test itself, only in Baton's. */
const LOOK = `
for p in /proc/[0-9]*; do
  case $(tr '\\0' ' ' < $p/cmdline 2>/dev/null) in *"$BATON_ROOT"*|*process-host*|*main.js*) ;; *) [ "$p" = /proc/$$ ] || continue ;; esac
  echo "== $p"; cat $p/environ $p/cmdline 2>/dev/null | tr '\\0' '\\n'
done > seen
env >> seen
for f in /proc/$$/fd/*; do readlink "$f"; done > descriptors
echo whole >> seen
`;

const homes: string[] = [];
afterEach(async () => {
  for (const home of homes.splice(0)) await endHost(home);
});

it.each(["auto", "off"])(
  "a secret is nowhere that a command in the background looks; sandbox: %s",
  async (sandbox) => {
    const home = makeHome();
    homes.push(home);
    const work = join(home, "../work");
    writeFileSync(join(work, "look.sh"), LOOK);
    writeFileSync(
      join(home, "key"),
      `${CANARY}
`,
      { mode: 0o600 },
    );
    const config = `agent:
  provider: offline
  apiKey: { file: ${join(home, "key")} }
`;
    writeFileSync(join(home, "config.yaml"), config, { mode: 0o600 });
    const env = {
      OPENAI_API_KEY: CANARY,
      TELEGRAM_BOT_TOKEN: CANARY,
      BATON_SOME_SECRET: CANARY,
      SOMETHING_ELSE: CANARY,
      BATON_TOOLS_TERMINAL_SANDBOX: sandbox,
    };
    const run = await baton(home, ["chat", "--message", "background sh look.sh"], { env });
    expect(run.stdout).toContain("Started in the background as p_");
    const seenFile = join(work, "seen");
    await expect.poll(() => existsSync(seenFile) && readFileSync(seenFile, "utf8")).toMatch(/whole\n$/);
    const seen = readFileSync(seenFile, "utf8");
    if (sandbox === "off") expect(seen).toContain("process-host"); // It did see the host.
    expect(seen).toContain("PATH=");
    expect(seen).not.toContain(CANARY);
    // Its input, its output, and the script itself.
    const descriptors = readFileSync(join(work, "descriptors"), "utf8").trim().split("\n");
    const strange = descriptors.filter(
      (one) => !/^(?:socket:|\/dev\/null$|.*\.out$|.*\/look\.sh$|.*\/descriptors$)/.test(one),
    );
    expect(strange).toEqual([]);
    expect(descriptors.filter((one) => one.startsWith("socket:")).length).toBeLessThan(2);
  },
);
