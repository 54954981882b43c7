/** A person on Mattermost and a gateway that is opened from two variables: all of the way, against crabline's server. */
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { offlineAgent } from "../../src/agent/offline.js";
import { readEnvironment } from "../../src/config/environment.js";
import { loadConfig } from "../../src/config/load.js";
import { commandTable } from "../../src/gateway/commands/table.js";
import { type OpenGateway, openGateway } from "../../src/open-gateway.js";
import { openPlatforms } from "../../src/open-platforms.js";
import { makeHome } from "../support/baton.js";
import { PlatformProcess } from "../support/http-platform-process.js";
import { idNamed } from "../support/mattermost-ids.js";
import { ANN, DM, MattermostWorld, TOWN } from "../support/mattermost-world.js";

let world: MattermostWorld;
let open: OpenGateway | null;

beforeEach(async () => {
  world = await MattermostWorld.open();
  const { url, token } = world.settings;
  const variables = { BATON_HOME: makeHome(), MATTERMOST_URL: url, MATTERMOST_BOT_TOKEN: token() };
  const { adapters, problems } = await openPlatforms(await loadConfig(readEnvironment(variables), "/"));
  expect(problems).toEqual([]);
  open = await openGateway({
    url: "sqlite::memory:",
    agent: offlineAgent(),
    adapters,
    commands: commandTable({ agent: "offline", clock: Date.now }),
    people: { allow: { mattermost: [ANN] } },
  });
  await open.gateway.start();
});
afterEach(async () => {
  await open?.close();
  await world.close();
});

it("has a file once where the gateway was killed while it was sent: the next one finds it", async () => {
  await open?.close(); // The account is for the processes that follow.
  open = null;
  const folder = makeHome();
  const { token, ...settings } = world.settings;
  const options = { platform: "mattermost", settings, secrets: { token: token() }, people: [ANN] };
  const start = () => PlatformProcess.start({ ...options, url: join(folder, "baton.db") });
  const files = () => world.sent.flatMap(({ file_ids = [] }) => file_ids);
  world.swallowFile();
  const first = await start();
  await world.write({ senderId: ANN, text: "the file", channelId: DM });
  await expect.poll(files, { timeout: 20_000 }).toHaveLength(1);
  await first.kill();
  const next = await start();
  const texts = () => said(DM).map(({ message }) => message);
  await expect.poll(texts, { timeout: 20_000 }).toContainEqual(expect.stringContaining("You said: the file"));
  expect(texts()).not.toContainEqual(expect.stringContaining("may be missing"));
  expect(files().map((id) => Buffer.from(world.files.get(id)?.bytes ?? []).toString())).toEqual([
    "what is in it\n",
  ]);
  await next.kill();
});

const said = (chat: string) => world.sent.filter((post) => post.channel_id === chat);

it("is answered in private, in a channel where it names the bot, and in its thread; a stranger is not", async () => {
  await world.write({ senderId: ANN, text: "/whoami", channelId: DM });
  await expect.poll(() => said(DM)[0]?.message).toContain("Platform: Mattermost");
  expect(said(DM)[0]?.message).toContain(ANN);
  const root = await world.write({ senderId: ANN, text: "the plan", channelId: TOWN });
  await world.write({ senderId: idNamed("eve"), senderName: "eve", text: "@baton /whoami", channelId: TOWN });
  await world.write({ senderId: ANN, text: "@baton /whoami", channelId: TOWN, rootId: root });
  await expect.poll(() => said(TOWN).length).toBe(1);
  expect(said(TOWN)[0]).toMatchObject({ root_id: root, message: expect.stringContaining("Mattermost") });
});
