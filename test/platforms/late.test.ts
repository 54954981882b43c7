/** A platform that is not there when the gateway starts is tried again and again, and holds up nobody. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { connect, createServer, type Server } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { baton, makeHome } from "../support/baton.js";
import { saidBy } from "../support/said-by.js";
import { SlackServer } from "../support/slack-server.js";
import { TelegramServer } from "../support/telegram-server.js";

const MAIN = fileURLToPath(new URL("../../dist/main.js", import.meta.url));
const PATIENCE = { timeout: 20_000, interval: 200 };

let slack: SlackServer;
let telegram: TelegramServer;
/** The network between us and Slack: while it is down, every connection breaks. */
let network: Server;
let isUp = false;
let child: ChildProcess | undefined;

beforeEach(async () => {
  [slack, telegram] = await Promise.all([SlackServer.start(), TelegramServer.start()]);
  isUp = false;
  network = createServer((socket) => {
    socket.on("error", () => {});
    if (!isUp) return socket.destroy();
    const there = connect(Number(new URL(slack.url).port), "127.0.0.1");
    there.on("error", () => socket.destroy());
    socket.pipe(there).pipe(socket);
  });
  network.listen(0, "127.0.0.1");
  await once(network, "listening");
});
afterEach(async () => {
  if (child?.exitCode === null && child.kill("SIGKILL")) await once(child, "close");
  await Promise.all([slack.close(), telegram.close()]);
  network.close();
});

/** Starts `baton gateway`; gives what it says. */
function start(home: string, slackBotToken: string): () => string {
  const port = (network.address() as { port: number }).port;
  child = spawn(process.execPath, [MAIN, "gateway"], {
    cwd: join(home, "..", "work"),
    env: {
      PATH: process.env.PATH ?? "",
      BATON_HOME: home,
      TELEGRAM_BOT_TOKEN: telegram.token,
      BATON_PLATFORMS_TELEGRAM_BASE_URL: telegram.url,
      SLACK_BOT_TOKEN: slackBotToken,
      SLACK_APP_TOKEN: slack.appToken,
      BATON_PLATFORMS_SLACK_BASE_URL: `http://127.0.0.1:${port}/api/`,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  return saidBy(child);
}

async function statesIn(home: string) {
  const { stdout } = await baton(home, ["gateway", "status", "--json"]);
  const { platforms } = JSON.parse(stdout) as {
    platforms: { platform: string; state: { kind: string; reason?: string }; lastError: string | null }[];
  };
  return Object.fromEntries(platforms.map(({ platform, ...state }) => [platform, state]));
}

test("without a network it is shown as lost with its reason, and connected once there is one", async () => {
  const home = makeHome();
  const said = start(home, slack.botToken);
  await vi.waitUntil(() => said().includes("The gateway is running"), PATIENCE);
  expect(said()).toContain("info Telegram is connected.");
  expect(said()).toMatch(/warn Slack: connection lost, Baton keeps trying: Slack cannot be reached: /);
  expect(await statesIn(home)).toMatchObject({
    telegram: { state: { kind: "connected" } },
    slack: { state: { kind: "lost" }, lastError: expect.stringContaining("Slack cannot be reached") },
  });
  isUp = true;
  await vi.waitFor(async () => {
    expect(await statesIn(home)).toMatchObject({ slack: { state: { kind: "connected" } } });
  }, PATIENCE);
}, 60_000);

test("a wrong token stays a sentence, and is not tried again", async () => {
  isUp = true;
  const home = makeHome();
  const said = start(home, "xoxb-nobody");
  await vi.waitUntil(() => said().includes("The gateway is running"), PATIENCE);
  expect(said()).toContain("info Telegram is connected.");
  const sentence = expect.stringMatching(/^Slack does not accept SLACK_BOT_TOKEN \(invalid_auth\)/);
  expect(await statesIn(home)).toMatchObject({ slack: { state: { kind: "failed", reason: sentence } } });
  expect(said()).not.toContain("xoxb-nobody");
}, 60_000);
