/** Who uses one platform does not load the others. */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { makeHome } from "../support/baton.js";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** The packages that are loaded when the platforms of this environment are opened. */
function loadedWith(env: Readonly<Record<string, string>>): Set<string> {
  const home = makeHome();
  const file = join(home, "loaded");
  const script = `
    import { readEnvironment } from "${root}dist/config/environment.js";
    import { loadConfig } from "${root}dist/config/load.js";
    import { openPlatforms } from "${root}dist/open-platforms.js";
    const { adapters, problems } = await openPlatforms(await loadConfig(readEnvironment(), "/"));
    process.stdout.write(JSON.stringify({ opened: adapters.map(({ platform }) => platform), problems }));
  `;
  const hook = join(root, "test/support/loaded-modules.mjs");
  const { stdout, stderr } = spawnSync(
    process.execPath,
    ["--import", hook, "--input-type=module", "-e", script],
    {
      cwd: root,
      env: { PATH: process.env.PATH ?? "", BATON_HOME: home, LOADED_MODULES: file, ...env },
      encoding: "utf8",
    },
  );
  const { opened } = JSON.parse(stdout || `{"opened":["${stderr}"]}`) as { opened: string[] };
  expect(opened).toEqual(Object.keys(env).length > 0 ? ["telegram"] : []);
  return new Set(existsSync(file) ? readFileSync(file, "utf8").split("\n") : []);
}

const OTHERS = ["discord.js", "@slack/web-api", "@slack/socket-mode", "matrix-js-sdk"];

it("Telegram alone loads nothing of Discord, Slack or Matrix", () => {
  const loaded = loadedWith({ TELEGRAM_BOT_TOKEN: "123456:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa" });
  expect(loaded).toContain("grammy");
  for (const other of OTHERS) expect(loaded).not.toContain(other);
});

it("without a platform none is loaded", () => {
  const loaded = loadedWith({});
  for (const one of ["grammy", ...OTHERS]) expect(loaded).not.toContain(one);
});
