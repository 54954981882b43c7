/** A person on Feishu and a gateway that is opened from three variables: all of the way, against crabline's server. */
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { offlineAgent } from "../../src/agent/offline.js";
import { readEnvironment } from "../../src/config/environment.js";
import { loadConfig } from "../../src/config/load.js";
import { commandTable } from "../../src/gateway/commands/table.js";
import { type OpenGateway, openGateway } from "../../src/open-gateway.js";
import { openPlatforms } from "../../src/open-platforms.js";
import { makeHome } from "../support/baton.js";
import { ANN, DM, FeishuWorld, idNamed, TOWN } from "../support/feishu-world.js";
import { PlatformProcess } from "../support/http-platform-process.js";

let world: FeishuWorld;
let open: OpenGateway | null;

beforeEach(async () => {
  world = await FeishuWorld.open();
  const { appId, appSecret, baseUrl } = world.settings;
  const variables = {
    BATON_HOME: makeHome(),
    FEISHU_APP_ID: appId,
    FEISHU_APP_SECRET: appSecret(),
    BATON_PLATFORMS_FEISHU_BASE_URL: baseUrl ?? "",
  };
  const { adapters, problems } = await openPlatforms(await loadConfig(readEnvironment(variables), "/"));
  expect(problems).toEqual([]);
  open = await openGateway({
    url: "sqlite::memory:",
    agent: offlineAgent(),
    adapters,
    commands: commandTable({ agent: "offline", clock: Date.now }),
    people: { allow: { feishu: [ANN] } },
  });
  await open.gateway.start();
});
afterEach(async () => {
  await open?.close();
  await world.close();
});

const said = (chatId: string) => world.sent.filter((each) => each.chatId === chatId);
const PATIENCE = { timeout: 20_000 };

it("is answered in private, in a group where it names the bot, and in its thread; a stranger is not", async () => {
  await world.write({ chatId: DM, senderId: ANN, text: "/whoami" });
  await expect.poll(() => said(DM)[0]?.content, PATIENCE).toContain("Platform: Feishu / Lark");
  expect(said(DM)[0]?.content).toContain(ANN);
  const root = await world.write({ chatId: TOWN, senderId: ANN, text: "the plan" });
  await world.write({ chatId: TOWN, senderId: idNamed("ou", "eve"), text: "/whoami", mentions: true });
  await world.write({ chatId: TOWN, senderId: ANN, text: "/whoami", mentions: true, threadId: root });
  await expect.poll(() => said(TOWN).length, PATIENCE).toBe(1);
  expect(said(TOWN)[0]).toMatchObject({ threadId: root, content: expect.stringContaining("Feishu / Lark") });
});

it("answers once where the gateway was killed while it sent a file, or an answer: the next one sends it again by its key", async () => {
  await open?.close(); // The account is for the processes that follow.
  open = null;
  const folder = makeHome();
  const { appSecret, ...settings } = world.settings;
  const options = { platform: "feishu", settings, secrets: { appSecret: appSecret() }, people: [ANN] };
  const start = () => PlatformProcess.start({ ...options, url: join(folder, "baton.db") });
  const files = () => world.sent.filter(({ type }) => type === "file");
  world.swallowFile();
  const first = await start();
  await world.write({ chatId: DM, senderId: ANN, text: "the file" });
  await expect.poll(files, PATIENCE).toHaveLength(1);
  await first.kill();
  const next = await start();
  const texts = () => said(DM).map(({ content }) => content);
  await expect.poll(texts, PATIENCE).toContainEqual(expect.stringContaining("You said: the file"));
  expect(texts().join()).not.toContain("may be missing");
  const sent = files().map(({ content }) =>
    world.files.get((JSON.parse(content) as { file_key: string }).file_key),
  );
  expect(sent.map((file) => Buffer.from(file?.bytes ?? []).toString())).toEqual(["what is in it\n"]);
  world.failNext("swallow");
  await world.write({ chatId: DM, senderId: ANN, text: "and an answer" });
  await expect.poll(texts, PATIENCE).toContainEqual(expect.stringContaining("You said: and an answer"));
  await next.kill();
  const last = await start();
  await world.write({ chatId: DM, senderId: ANN, text: "at last" });
  await expect.poll(texts, PATIENCE).toContainEqual(expect.stringContaining("You said: at last"));
  expect(texts().filter((text) => text.includes("and an answer"))).toHaveLength(1);
  expect(texts().join()).not.toContain("may be missing");
  await last.kill();
});
