/**
 * `tools.ask` of the settings, through a real `baton gateway` with Telegram, a model and an MCP server on loopback: the
 * owner is asked before `fetch_url` or a server's tool is used, and without a yes neither is.
 */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { makeHome } from "./support/baton.js";
import { ModelServer, type Reply } from "./support/model-server.js";
import { questionNumber } from "./support/question-number.js";
import { TelegramServer } from "./support/telegram-server.js";

const MAIN = fileURLToPath(new URL("../dist/main.js", import.meta.url));
const MCP = fileURLToPath(new URL("support/mcp-server.mjs", import.meta.url));
const ANN = 100001;

let telegram: TelegramServer;
let model: ModelServer;
let page: Server;
let visits = 0;
let child: ChildProcess | undefined;

beforeEach(async () => {
  [telegram, model] = await Promise.all([TelegramServer.start(), ModelServer.start()]);
  page = createServer((_, response) => {
    visits += 1;
    response.setHeader("content-type", "text/plain").end("the page");
  }).listen(0, "127.0.0.1");
  await once(page, "listening");
});
afterEach(async () => {
  if (child?.exitCode === null && child.kill("SIGKILL")) await once(child, "close");
  page.close();
  await Promise.all([telegram.close(), model.close()]);
});

test("fetch_url and the tools of a server are used only after a yes", async () => {
  const home = makeHome();
  const host = `127.0.0.1:${(page.address() as AddressInfo).port}`;
  const key = join(home, "..", "agent-key");
  writeFileSync(key, "key-of-the-model\n", { mode: 0o600 });
  const config = {
    agent: { provider: "openai", baseUrl: model.url, model: "model-a", apiKey: { file: key } },
    people: { owners: { telegram: [String(ANN)] } },
    platforms: { telegram: { baseUrl: telegram.url } },
    tools: { ask: ["fetch_url", "notes_*"], fetch: { allowHosts: [host] } },
    mcp: { servers: { notes: { command: process.execPath, args: [MCP, "plain"] } } },
  };
  writeFileSync(join(home, "config.yaml"), JSON.stringify(config), { mode: 0o600 }); // JSON is YAML.
  const call = (name: string, args: unknown): Reply => ({
    calls: [{ name, arguments: JSON.stringify(args) }],
  });
  const script = [
    call("fetch_url", { url: `http://${host}/` }),
    call("notes_environment", {}),
    call("fetch_url", { url: `http://${host}/` }),
    { text: "The end." },
  ];
  model.script = (_, number) => script[number - 1] ?? { text: "" };
  child = spawn(process.execPath, [MAIN, "gateway"], {
    cwd: join(home, "..", "work"),
    env: {
      PATH: process.env.PATH ?? "",
      HOME: join(home, ".."),
      BATON_HOME: home,
      TELEGRAM_BOT_TOKEN: telegram.token,
    },
    stdio: "ignore",
  });
  const write = (text: string) => telegram.deliver({ chatId: String(ANN), fromId: ANN, text });
  /** The number of the nth question, once it is asked. */
  const asked = async (nth: number, tool: string): Promise<string> => {
    const numbers = () =>
      telegram.sent.flatMap(({ text }) =>
        text.includes(`uses ${tool}, a tool that the owner wants to be asked about`)
          ? [questionNumber(text) ?? ""]
          : [],
      );
    await telegram.until(() => numbers().length >= nth);
    return numbers()[nth - 1] ?? "";
  };
  const results = () => JSON.stringify(model.requests.at(-1)?.body.messages);

  await telegram.until(() => telegram.menu.length > 0); // It is connected.
  await write("Read the page.");
  await write(`/deny ${await asked(1, "fetch_url")}`);
  await write(`/deny ${await asked(1, "notes_environment")}`);
  const number = await asked(2, "fetch_url");
  expect(visits).toBe(0);
  expect(results()).not.toContain("PATH");
  await write(`/approve ${number}`);
  await telegram.until(() => telegram.sent.some(({ text }) => text.includes("The end.")));
  expect(visits).toBe(1);
  expect(results()).toContain("the page");
});
