/** What each platform's set-up says of right values, of wrong ones, and where nobody answers; never a secret. */
import { readFileSync } from "node:fs";
import { afterEach, describe, expect, test } from "vitest";
import type { ConnectError } from "../../src/adapter/adapter.js";
import { type Answers, manifestOf } from "../../src/adapter/manifest.js";
import { APP_MANIFEST } from "../../src/adapter/slack/app-manifest.js";
import { WEB } from "../../src/adapter/web/web-source.js";
import { LOCAL, platforms } from "../../src/session/platform.js";
import { DiscordServer } from "../support/discord-server.js";
import { FeishuWorld } from "../support/feishu-world.js";
import { CrablineMatrix } from "../support/matrix-room.js";
import { MattermostWorld } from "../support/mattermost-world.js";
import { ACCOUNT, SignalWorld } from "../support/signal-world.js";
import { SlackServer } from "../support/slack-server.js";
import { TelegramServer } from "../support/telegram-server.js";
import { WhatsAppWorld } from "../support/whatsapp-world.js";

const CLOSED = "http://127.0.0.1:9";
/** Stands in each wrong secret. */
const CANARY = "canary5canary5canary5canary5canary";

interface Stage {
  readonly values: Answers;
  readonly who: string;
  /** What to do first, as it says. */
  readonly next: RegExp;
  /** Other values, and what is said of them. */
  readonly wrong: readonly (readonly [Answers, RegExp])[];
  /** The key of the address. */
  readonly at?: string;
  close(): Promise<void>;
}

const STAGES: Readonly<Record<string, () => Promise<Stage>>> = {
  telegram: async () => {
    const server = await TelegramServer.start();
    return {
      values: { token: server.token, baseUrl: server.url },
      who: "@crabline_bot (Crabline, 424242)",
      next: /^Write to it: https:\/\/t\.me\/crabline_bot$/,
      wrong: [
        [{ token: `123:${CANARY}` }, /^Telegram does not know this bot token\..*@BotFather/],
        [{ token: CANARY }, /^Telegram does not know this bot token\./],
      ],
      close: () => server.close(),
    };
  },
  discord: async () => {
    const server = await DiscordServer.start();
    return {
      values: { token: server.token, baseUrl: server.baseUrl },
      who: `crabline (${server.botId})`,
      next: /^Message Content Intent is off: turn it on at /,
      wrong: [[{ token: `MTIz.${CANARY}.x` }, /^Discord does not accept the bot's token\..*Reset Token/]],
      close: () => server.close(),
    };
  },
  slack: async () => {
    const server = await SlackServer.start();
    return {
      values: {
        ...{ mode: "socket", botToken: server.botToken, appToken: server.appToken, baseUrl: server.url },
        signingSecret: server.signingSecret,
      },
      who: "robot in",
      next: /\/invite @robot$/,
      wrong: [
        [{ botToken: `xoxb-${CANARY}` }, /^Slack does not accept SLACK_BOT_TOKEN \(invalid_auth\)/],
        [{ appToken: `xapp-${CANARY}` }, /^Slack does not accept SLACK_APP_TOKEN .*connections:write/],
      ],
      close: () => server.close(),
    };
  },
  whatsapp: async () => {
    const world = await WhatsAppWorld.open();
    const { phoneNumberId, accessToken } = world.settings;
    const texts = { appSecret: "secret", verifyToken: "verify" };
    return {
      values: { phoneNumberId, accessToken: accessToken(), baseUrl: world.between.url, ...texts },
      who: "the number 15550000000",
      next: /^Meta has to reach the webhook by HTTPS/,
      wrong: [
        [{ accessToken: CANARY }, /^Meta does not accept the token. Set WHATSAPP_ACCESS_TOKEN\./],
        [{ phoneNumberId: "999999" }, /^Meta knows no number 999999: .* the id, not the number/],
      ],
      close: () => world.close(),
    };
  },
  signal: async () => {
    const world = await SignalWorld.open();
    world.accounts = [ACCOUNT];
    return {
      values: { url: world.baseUrl, account: ACCOUNT },
      who: `the account ${ACCOUNT} of the signal-cli at ${world.baseUrl}`,
      next: /^Write to \+15550000000\.$/,
      wrong: [[{ account: "+15559999999" }, /has no account \+15559999999: register or link it there/]],
      at: "url",
      close: () => world.close(),
    };
  },
  matrix: async () => {
    const matrix = await CrablineMatrix.start();
    return {
      values: { homeserver: matrix.homeserver, accessToken: matrix.token },
      who: matrix.botId,
      next: /^Open a chat with @/,
      wrong: [[{ accessToken: CANARY }, /^The homeserver refuses the access token. Sign in again/]],
      at: "homeserver",
      close: () => matrix.close(),
    };
  },
  mattermost: async () => {
    const world = await MattermostWorld.open();
    const { url, token } = world.settings;
    return {
      values: { url, token: token() },
      who: "@baton (",
      next: /^Write to @baton, or invite it to a channel: \/invite @baton$/,
      wrong: [[{ token: CANARY }, /^Mattermost does not accept MATTERMOST_BOT_TOKEN\..*Bot Accounts/]],
      at: "url",
      close: () => world.close(),
    };
  },
  feishu: async () => {
    const world = await FeishuWorld.open();
    const { appId, appSecret, baseUrl = "" } = world.settings;
    return {
      values: { domain: "feishu", appId, appSecret: appSecret(), baseUrl },
      who: "Crabline (ou_",
      next: /^Write to Crabline, or add it to a group/,
      wrong: [
        [{ appSecret: CANARY }, /^Feishu does not accept FEISHU_APP_ID and FEISHU_APP_SECRET\..*Basic Info/],
        [{ appId: "cli_fedcba9876543210" }, /^Feishu does not accept FEISHU_APP_ID/],
      ],
      close: () => world.close(),
    };
  },
};

let stage: Stage | null = null;
afterEach(async () => {
  await stage?.close();
  stage = null;
});

function manifestNamed(platform: string) {
  const manifest = manifestOf(platform);
  if (!manifest) throw new Error(`${platform} has no manifest.`);
  const fields = Object.entries(manifest.settings).flatMap(([key, { question, takes }]) =>
    question ? [{ key, ...question, isSecret: takes.is === "secret" }] : [],
  );
  return { ...manifest, fields };
}

async function failureOf(platform: string, values: Answers): Promise<ConnectError> {
  return manifestNamed(platform)
    .check(values)
    .then(
      () => expect.unreachable("It was taken."),
      (error: ConnectError) => error,
    );
}

describe.each(Object.keys(STAGES))("the set-up of %s", (platform) => {
  test("says whose it is, of what is wrong what to do, and where nobody answers that", async () => {
    stage = (await STAGES[platform]?.()) ?? null;
    if (!stage) throw new Error("There is a stage for each.");
    const { values, who, next, wrong, at = "baseUrl" } = stage;
    const setup = manifestNamed(platform);
    const found = await setup.check(values);
    expect(found.who).toContain(who);
    expect(found.next[0]).toMatch(next);
    for (const [others, sentence] of wrong) {
      const error = await failureOf(platform, { ...values, ...others });
      expect(error).toMatchObject({ outcome: "permanent", message: expect.stringMatching(sentence) });
      expect(error.message).not.toContain(CANARY);
    }
    const unreached = await failureOf(platform, { ...values, [at]: CLOSED });
    expect(unreached).toMatchObject({ outcome: "retryable" });
    for (const { key, isSecret } of setup.fields) {
      if (isSecret) expect(unreached.message).not.toContain(values[key]);
    }
  });

  test("asks only for what it would take, and says what that is", async () => {
    stage = (await STAGES[platform]?.()) ?? null;
    const { fields, steps } = manifestNamed(platform);
    expect(steps.length).toBeGreaterThan(1);
    for (const { key, looks, hint } of fields) {
      expect(stage?.values[key]).toMatch(looks);
      for (const nothing of ["", " ", "two words"]) expect(nothing).not.toMatch(looks);
      expect(hint).toMatch(/\.$|…$/);
    }
  });
});

test("every platform has one, but for this machine and its page", () => {
  expect(Object.keys(STAGES)).toEqual(platforms().filter((name) => name !== LOCAL && name !== WEB));
});

test("an intent that is on is not asked for, and the invitation has the permissions of the page", async () => {
  const server = await DiscordServer.start();
  server.answer = ({ path }) =>
    path.endsWith("/oauth2/applications/@me") ? { status: 200, body: { id: "77", flags: 1 << 19 } } : null;
  const { check } = manifestNamed("discord");
  const { next } = await check({ token: server.token, baseUrl: server.baseUrl });
  await server.close();
  expect(next).toEqual([
    "Invite it to your server: https://discord.com/oauth2/authorize?client_id=77&scope=bot+applications.commands&permissions=309237746752",
  ]);
});

test("Telegram's webhook: which one is set, what has to reach it, and how posts failed", async () => {
  const server = await TelegramServer.start();
  const { check } = manifestNamed("telegram");
  const answers = { token: server.token, baseUrl: server.url, host: "127.0.0.1", port: "8646" };
  const webhookUrl = "https://your.host/hooks/telegram";
  const next = async (more: Answers = {}) => (await check({ ...answers, ...more })).next.slice(1);
  const proxy =
    "Telegram has to reach https://your.host/hooks/telegram by HTTPS: put a proxy with a certificate in front of 127.0.0.1:8646, and let it forward /hooks/telegram.";
  const without = await next();
  expect(without.filter((line) => line.includes("webhook"))).toEqual([]);
  expect(await next({ webhookUrl })).toEqual([...without, proxy]);
  server.posts.answer("setWebhook", { url: webhookUrl });
  expect(await next()).toEqual([
    ...without,
    "A webhook is set for this bot. The gateway removes it when it starts.",
  ]);
  server.posts.fail(1_750_000_000, "Wrong response from the webhook: 404 Not Found");
  expect(await next({ webhookUrl })).toEqual([
    ...without,
    proxy,
    "Telegram could not deliver to the webhook: Wrong response from the webhook: 404 Not Found. Check the proxy in front of it.",
  ]);
  expect(await next({ webhookUrl: "https://another.host/" })).toHaveLength(without.length + 1);
  await server.close();
});

test("Slack's posts need no app token, and say what has to reach Baton, and where to tell Slack so", async () => {
  const server = await SlackServer.start();
  const { check } = manifestNamed("slack");
  const { botToken, signingSecret, url: baseUrl } = server;
  const answers = { botToken, signingSecret, baseUrl, host: "127.0.0.1", port: "8647" };
  const ways: Answers[] = [{}, { mode: "http", appToken: `xapp-${CANARY}` }];
  for (const more of ways) {
    const { who, next } = await check({ ...answers, ...more });
    expect(who).toContain("robot in");
    expect(next).toEqual([
      "Slack has to reach Baton by HTTPS: put a proxy with a certificate in front of 127.0.0.1:8647, and let it forward /slack.",
      expect.stringMatching(/Request URL https:\/\/your.host\/slack .*Interactivity.*Slash Commands/),
      expect.stringMatching(/\/invite @robot$/),
    ]);
  }
  await expect(check({ ...answers, botToken: `xoxb-${CANARY}` })).rejects.toMatchObject({
    outcome: "permanent",
    message: expect.stringMatching(/^Slack does not accept SLACK_BOT_TOKEN/),
  });
  await server.close();
});

test("Slack's manifest is the one of its page", () => {
  const page = readFileSync(new URL("../../docs/platforms/slack.md", import.meta.url), "utf8");
  expect(page.replace(/^ {3}/gm, "")).toContain(`\`\`\`yaml\n${APP_MANIFEST}\n\`\`\``);
});
