// The picture in the README: a real chat in a real PTY, with a model that plays a script. `npm run picture` writes it.
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { spawn } from "@lydell/node-pty";
import xterm from "@xterm/headless";
import { ModelServer, type Reply } from "../test/support/model-server.js";
import { screenSvg } from "./screen-svg.js";

const COLUMNS = 92;
const ROWS = 60;
const PATIENCE_MS = 30_000;

const usage = { input: 3_100, output: 210 };
const PARTY =
  "For **40 guests** I would hang a lantern every two metres:\n\n```ts\n// Around the lawn, and one for each table\nexport function lanterns(metres: number, tables = 5): number {\n  return Math.ceil(metres / 2) + tables;\n}\n```\n\nThat makes 35 for a lawn of 60 metres. Roses: [how to plant them](https://example.org/roses).";

const server = await ModelServer.start(({ body }): Reply => {
  const last = body.messages.at(-1);
  if (!JSON.stringify(last.content).includes("delete")) return { text: [...PARTY], usage };
  return {
    calls: [{ name: "terminal", arguments: JSON.stringify({ command: "rm -rf ~/party-2025" }) }],
    usage,
  };
});

const root = mkdtempSync(join(tmpdir(), "baton-picture-"));
const [home, work, bin] = ["home", "garden", "bin"].map((name) => join(root, name)) as [
  string,
  string,
  string,
];
for (const folder of [home, work, bin]) mkdirSync(folder, { mode: 0o700 });
const config = {
  agent: {
    ...{ provider: "openai", baseUrl: server.url, model: "your-model", workdir: work },
    prices: { "your-model": { input: 3, output: 15 } },
  },
  memory: { titles: "words" },
  tools: { terminal: { sandbox: "off" } },
};
writeFileSync(join(home, "config.yaml"), JSON.stringify(config), { mode: 0o600 });

// As if it was installed.
symlinkSync(fileURLToPath(new URL("../dist/main.js", import.meta.url)), join(bin, "baton"));
const terminal = new xterm.Terminal({ cols: COLUMNS, rows: ROWS, allowProposedApi: true });
const chat = spawn("baton", [], {
  ...{ cols: COLUMNS, rows: ROWS, cwd: work },
  env: { PATH: `${bin}:${process.env.PATH}`, TERM: "xterm-256color", BATON_HOME: home, HOME: root },
});
chat.onData((data) => terminal.write(data));

const screen = () =>
  Array.from({ length: ROWS }, (_, row) => terminal.buffer.active.getLine(row)?.translateToString(true)).join(
    "\n",
  );

async function until(shown: RegExp): Promise<void> {
  const end = Date.now() + PATIENCE_MS;
  while (!shown.test(screen())) {
    if (Date.now() > end) throw new Error(`It never came: ${shown}\n${screen()}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

await until(/Three things to try/);
chat.write("How many lanterns do we need for the garden party?\r");
await until(/\(\+\$/);
chat.write("Thanks. Now delete last year's folder.\r");
await until(/waiting for you: y/);
writeFileSync(
  new URL("../docs/images/chat.svg", import.meta.url),
  screenSvg(terminal, "A chat with Baton in the terminal", (text) => text.replaceAll(root, "/home/ann")),
);
chat.kill();
await server.close();
rmSync(root, { recursive: true, force: true });
process.exit(0);
