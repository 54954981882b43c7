/** Who uses one platform does not load the others. */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { makeHome } from "../support/baton.js";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** The packages that are loaded when the platforms of this environment are opened. */
function loadedWith(
  env: Readonly<Record<string, string>>,
  expected: readonly string[] = Object.keys(env).length > 0 ? ["telegram"] : [],
): Set<string> {
  const { opened, loaded } = openedWith(env);
  expect(opened).toEqual(expected);
  return loaded;
}

/** The same, with what was opened, and why something was not. `before`: what is done first. */
function openedWith(env: Readonly<Record<string, string>>, before = "") {
  const home = makeHome();
  const file = join(home, "loaded");
  const script = `
    ${before}
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
  if (!stdout) throw new Error(stderr);
  const { opened, problems } = JSON.parse(stdout) as { opened: string[]; problems: string[] };
  const loaded = new Set(existsSync(file) ? readFileSync(file, "utf8").split("\n") : []);
  return { opened, problems, loaded };
}

const OTHERS = [
  "discord.js",
  "@slack/web-api",
  "@slack/socket-mode",
  "matrix-js-sdk",
  "@matrix-org/matrix-sdk-crypto-wasm",
  "baileys",
  "libsignal",
];

it("Telegram alone loads nothing of Discord, Slack, Matrix or Baileys", () => {
  const loaded = loadedWith({ TELEGRAM_BOT_TOKEN: "123456:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa" });
  expect(loaded).toContain("grammy");
  for (const other of OTHERS) expect(loaded).not.toContain(other);
});

it("Feishu alone loads a WebSocket, and nothing of another platform", () => {
  const env = { FEISHU_APP_ID: "cli_0123456789abcdef", FEISHU_APP_SECRET: "secret" };
  const loaded = loadedWith(env, ["feishu"]);
  expect(loaded).toContain("ws");
  for (const other of ["grammy", ...OTHERS]) expect(loaded).not.toContain(other);
});

it("without a platform none is loaded", () => {
  const loaded = loadedWith({});
  for (const one of ["grammy", ...OTHERS]) expect(loaded).not.toContain(one);
});

it("the library loads no Markdown parser; a platform does", () => {
  const library = openedWith({}, `import "${root}dist/index.js";`);
  expect(library.loaded).not.toContain("mdast-util-from-markdown");
  const loaded = loadedWith({ TELEGRAM_BOT_TOKEN: "123456:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa" });
  expect(loaded).toContain("mdast-util-from-markdown");
});

const CLOUD = {
  WHATSAPP_ACCESS_TOKEN: "token",
  WHATSAPP_PHONE_NUMBER_ID: "100",
  WHATSAPP_APP_SECRET: "secret",
  WHATSAPP_VERIFY_TOKEN: "verify",
};
const BAILEYS = { WHATSAPP_MODE: "baileys", WHATSAPP_NUMBER: "+15550000000" };

it("WhatsApp by the Cloud API loads nothing of Baileys, though it is installed", () => {
  const loaded = loadedWith({ ...CLOUD, WHATSAPP_NUMBER: "+15550000000" }, ["whatsapp"]);
  for (const one of ["baileys", "libsignal"]) expect(loaded).not.toContain(one);
});

it("Baileys is loaded where it is asked for, and only then", () => {
  expect(loadedWith(BAILEYS, ["whatsapp"])).toContain("baileys");
});

it("Baileys without a number says what is missing", () => {
  const { opened, problems } = openedWith({ WHATSAPP_MODE: "baileys" });
  expect(opened).toEqual([]);
  expect(problems).toEqual([expect.stringContaining("WHATSAPP_NUMBER")]);
});

it("Baileys that is not installed costs nobody else, and a sentence says what it takes", () => {
  const without = `
    import { register } from "node:module";
    register("data:text/javascript," + encodeURIComponent(\`
      export async function resolve(name, context, next) {
        if (name !== "baileys") return next(name, context);
        const error = new Error("Cannot find package 'baileys' imported from " + context.parentURL);
        throw Object.assign(error, { code: "ERR_MODULE_NOT_FOUND" });
      }\`));
  `;
  const env = { ...BAILEYS, TELEGRAM_BOT_TOKEN: "123456:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa" };
  const { opened, problems } = openedWith(env, without);
  expect(opened).toEqual(["telegram"]);
  expect(problems).toHaveLength(1);
  for (const words of ["npm install baileys@7.0.0-rc14", "GPL-3.0", "ban"])
    expect(problems[0]).toContain(words);
});
