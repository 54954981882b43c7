/** `baton setup <platform>` in a real terminal and without one, against servers that play the platforms. */
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { baton, makeHome } from "./support/baton.js";
import { answerSetup } from "./support/pty-setup.js";
import { SlackServer } from "./support/slack-server.js";
import { TelegramServer } from "./support/telegram-server.js";
import { killAll, pty } from "./terminal/pty-chat.js";

const ENTER = "\r";
const DOWN = "\u001b[B";
const CURSOR = "\u001b[?25h";
const WRONG = "123456:canary-canary-canary";

const configOf = (home: string) => readFileSync(join(home, "config.yaml"), "utf8");
const secretOf = (home: string, name: string) => readFileSync(join(home, "secrets", name), "utf8");

function homeWith(config: string): string {
  const home = makeHome();
  writeFileSync(join(home, "config.yaml"), config, { mode: 0o600 });
  return home;
}

let telegram: TelegramServer;
let slack: SlackServer;
beforeAll(async () => {
  [telegram, slack] = await Promise.all([TelegramServer.start(), SlackServer.start()]);
});
afterAll(() => Promise.all([telegram.close(), slack.close()]));
afterEach(killAll);

const atTelegram = () => `# mine\nplatforms:\n  telegram:\n    baseUrl: ${telegram.url} # for the tests\n`;
const atSlack = () => `platforms: { slack: { baseUrl: "${slack.url}" } }\n`;

describe.runIf(pty !== null)("baton setup <platform>, in a terminal", () => {
  test("explains, asks, hides the token, lets Telegram say who it is, and writes it down", async () => {
    const home = homeWith(atTelegram());
    const { code, output } = await answerSetup(
      home,
      ["telegram"],
      {},
      ["(hidden)", `${telegram.token}${ENTER}`],
      ["Which chat is the home channel", `-1001234567890:7${ENTER}`],
      ["Who may talk to the agent", `4711${ENTER}`],
      ["Which role?", ENTER],
    );
    expect(code).toBe(0);
    expect(output).toContain("1. In Telegram, write /newbot to @BotFather.");
    expect(output).toContain("Connected as @crabline_bot (Crabline, 424242).");
    expect(output).toContain("https://t.me/crabline_bot");
    expect(output).not.toContain(telegram.token);
    expect(configOf(home)).toBe(`# mine
platforms:
  telegram:
    baseUrl: ${telegram.url} # for the tests
    # The bot's token, from @BotFather.
    token: { file: secrets/telegram-token.key }
    # The chat to which handoffs to this platform go: its id, or \`chat:thread\`.
    homeChannel: -1001234567890:7
people:
  owners:
    telegram: [ "4711" ]
`);
    expect(secretOf(home, "telegram-token.key")).toBe(`${telegram.token}\n`);
    expect(statSync(join(home, "secrets", "telegram-token.key")).mode & 0o777).toBe(0o600);
    expect((await baton(home, ["config", "check"])).code).toBe(0);
  });

  test("run again, Enter keeps what is there, word for word", async () => {
    const home = homeWith(
      `${atTelegram()}    token: { file: secrets/mine }\n    homeChannel: "99" # us\npeople: { owners: { telegram: [7] } }\n`,
    );
    mkdirSync(join(home, "secrets"), { mode: 0o700 });
    writeFileSync(join(home, "secrets", "mine"), telegram.token, { mode: 0o600 });
    const before = configOf(home);
    const { code, output } = await answerSetup(
      home,
      ["telegram"],
      {},
      ["Type it now", ENTER],
      ["Which chat is the home channel", ENTER],
      ["Already listed: 7 (owner).", ENTER],
    );
    expect(code).toBe(0);
    expect(output).toContain("Nothing to save");
    expect(configOf(home)).toBe(before);
    expect(readdirSync(join(home, "secrets"))).toEqual(["mine"]);
  });

  test("a list of people grows, and keeps its comments", async () => {
    const home = homeWith(`${atTelegram()}people:\n  allow:\n    telegram:\n      - 7 # Ann\n`);
    const { code } = await answerSetup(
      home,
      ["telegram"],
      { TELEGRAM_BOT_TOKEN: telegram.token, TELEGRAM_HOME_CHANNEL: "99" },
      ["Type it now", ENTER],
      ["The home channel is 99", ""],
      ["Who may talk to the agent", `8${ENTER}`],
      ["Which role?", `${DOWN}${ENTER}`],
    );
    expect(code).toBe(0);
    expect(configOf(home)).toBe(
      `${atTelegram()}people:\n  allow:\n    telegram:\n      - 7 # Ann\n      - "8"\n`,
    );
    expect(existsSync(join(home, "secrets"))).toBe(false);
  });

  test("a wrong token is a sentence, and another may be given; each of Slack's two is said by name", async () => {
    const home = homeWith(atSlack());
    const { code, output } = await answerSetup(
      home,
      ["slack"],
      {},
      ["How do messages come from Slack?", ENTER],
      ["The Bot User OAuth Token (xoxb-…) (hidden)", `no${ENTER}`],
      ["It begins with xoxb-", `\u0015${slack.botToken}${ENTER}`],
      ["The App-Level Token (xapp-…) (hidden)", `xapp-canary-canary${ENTER}`],
      ["Slack does not accept SLACK_APP_TOKEN", ""],
      ["Cancel, and change nothing", ENTER],
      ["How do messages come from Slack?", ENTER],
      ["Type it now", ENTER],
      ["Type it now", `${DOWN}${ENTER}`],
      ["The App-Level Token (xapp-…) (hidden)", `${slack.appToken}${ENTER}`],
      ["Connected as robot in", ""],
      ["Which chat is the home channel", ENTER],
      ["Who may talk to the agent", ENTER],
    );
    expect(code).toBe(0);
    expect(output).not.toContain("canary");
    expect(output).not.toContain(slack.botToken);
    expect(output).not.toMatch(/\n\s+at /);
    expect(secretOf(home, "slack-bot-token.key")).toBe(`${slack.botToken}\n`);
    expect(secretOf(home, "slack-app-token.key")).toBe(`${slack.appToken}\n`);
    expect(configOf(home)).toContain("appToken: { file: secrets/slack-app-token.key }");
    expect(configOf(home)).not.toContain("mode:");
  });

  test("for Slack's posts it asks for the signing secret, and says what has to reach Baton", async () => {
    const home = homeWith(atSlack());
    const { code, output } = await answerSetup(
      home,
      ["slack"],
      {},
      ["How do messages come from Slack?", `${DOWN}${ENTER}`],
      ["The Bot User OAuth Token (xoxb-…) (hidden)", `${slack.botToken}${ENTER}`],
      ["The signing secret (hidden)", `xapp-1${ENTER}`],
      ["Letters and digits.", `\u0015${slack.signingSecret}${ENTER}`],
      ["Connected as robot in", ""],
      ["Which chat is the home channel", ENTER],
      ["Who may talk to the agent", ENTER],
    );
    expect(code).toBe(0);
    expect(output).not.toContain("The App-Level Token (xapp-…) (hidden)");
    expect(output).toContain("in front of 127.0.0.1:8647");
    expect(output).toContain("set the Request URL https://your.host/slack");
    expect(output).not.toContain(slack.signingSecret);
    expect(configOf(home)).toMatch(/mode: http/);
    expect(secretOf(home, "slack-signing-secret.key")).toBe(`${slack.signingSecret}\n`);
    const again = await baton(home, ["setup", "slack", "--yes"]);
    expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining("Slack: connected as robot") });
  });

  test("where nobody answers it says so, and saves it all the same if one wants", async () => {
    const home = homeWith("platforms: { telegram: { baseUrl: http://127.0.0.1:9 } }\n");
    const { code, output } = await answerSetup(
      home,
      ["telegram"],
      {},
      ["(hidden)", `${WRONG}${ENTER}`],
      ["Telegram cannot be reached", ""],
      ["Cancel, and change nothing", `${DOWN.repeat(2)}${ENTER}`],
      ["Which chat is the home channel", ENTER],
      ["Who may talk to the agent", ENTER],
    );
    expect(code).toBe(0);
    expect(output).not.toContain("canary");
    expect(secretOf(home, "telegram-token.key")).toBe(`${WRONG}\n`);
  });

  test.each([1, 2, 3])("Ctrl-C at question %i leaves everything as it was", async (last) => {
    const home = homeWith(atTelegram());
    const questions: [string, string][] = [
      ["(hidden)", `${telegram.token}${ENTER}`],
      ["Which chat is the home channel", ENTER],
      ["Who may talk to the agent", ENTER],
    ];
    const asked = questions.slice(0, last).map(([question, keys], index) => {
      return [question, index === last - 1 ? "\u0003" : keys] as const;
    });
    const { code, output } = await answerSetup(home, ["telegram"], {}, ...asked);
    expect(code).toBe(1);
    expect(output).toContain("Nothing was changed.");
    expect(configOf(home)).toBe(atTelegram());
    expect(readdirSync(home)).toEqual(["config.yaml"]);
  });

  test("a token that the platform gives back in its refusal is not shown", async () => {
    const meta = createServer(({ headers }, response) => {
      response.writeHead(401, { "content-type": "application/json" });
      response.end(JSON.stringify({ error: { code: 190, message: `No: ${headers.authorization}` } }));
    });
    await new Promise<void>((resolve) => meta.listen(0, "127.0.0.1", resolve));
    const baseUrl = `http://127.0.0.1:${(meta.address() as AddressInfo).port}`;
    const home = homeWith(`platforms: { whatsapp: { baseUrl: "${baseUrl}" } }\n`);
    const { code, output } = await answerSetup(
      home,
      ["whatsapp"],
      {},
      ["The phone number id", `100000000000000${ENTER}`],
      ["The access token (hidden)", `canary-canary${ENTER}`],
      ["The app secret (hidden)", `canary-secret${ENTER}`],
      ["The verify token, a text of your own (hidden)", `canary-verify${ENTER}`],
      ["Meta does not accept the token", ""],
      ["Cancel, and change nothing", `${DOWN}${ENTER}`],
    );
    meta.close();
    expect(code).toBe(1);
    expect(output).toContain("Nothing was changed.");
    expect(output).not.toContain("canary");
    expect(readdirSync(home)).toEqual(["config.yaml"]);
  });

  test("a secret that is typed before its question comes is not shown, and answers it", async () => {
    const home = homeWith('platforms: { whatsapp: { baseUrl: "http://127.0.0.1:9" } }\n');
    const { code, output } = await answerSetup(
      home,
      ["whatsapp"],
      {},
      ["The phone number id", `100000000000000${ENTER}`],
      // A question that was answered shows the cursor again, and then the next one comes.
      [CURSOR, `canary-canary${ENTER}`],
      [CURSOR, `canary-secret${ENTER}`],
      [CURSOR, `canary-verify${ENTER}`],
      ["Meta cannot be reached", ""],
      ["Cancel, and change nothing", `${DOWN.repeat(2)}${ENTER}`],
      ["Which chat is the home channel", ENTER],
      ["Who may talk to the agent", ENTER],
    );
    expect(code).toBe(0);
    expect(output).not.toContain("canary");
    expect(secretOf(home, "whatsapp-verify-token.key")).toBe("canary-verify\n");
  });

  test("a token that is typed beside one in the environment says which of them counts", async () => {
    const home = homeWith(atTelegram());
    const { code, output } = await answerSetup(
      home,
      ["telegram"],
      { TELEGRAM_BOT_TOKEN: WRONG },
      ["Type it now", ENTER],
      ["Telegram does not know this bot token", ""],
      ["Cancel, and change nothing", ENTER],
      ["Type it now", `${DOWN.repeat(2)}${ENTER}`],
      ["(hidden)", `${telegram.token}${ENTER}`],
      ["Which chat is the home channel", ENTER],
      ["Who may talk to the agent", ENTER],
    );
    expect(code).toBe(0);
    expect(output).toContain("TELEGRAM_BOT_TOKEN in the environment overrides this");
    expect(output).not.toContain("canary");
  });
});

describe("baton setup <platform>, without a terminal", () => {
  test("is told what to set instead", async () => {
    const home = makeHome();
    const run = await baton(home, ["setup", "slack"], { env: { SLACK_BOT_TOKEN: "xoxb-canary" } });
    expect(run).toMatchObject({ code: 2, stdout: "" });
    expect(run.stderr).toBe(`baton: Setup asks questions and needs a terminal.
Slack needs these settings. Set them in the environment or in config.yaml:
  SLACK_MODE, optional: \`socket\`: Baton opens a connection to Slack (Socket Mode). \`http\`: Slack posts to Baton, at a public address.
    baton config set platforms.slack.mode socket|http
  SLACK_BOT_TOKEN, set (SLACK_BOT_TOKEN): The bot user's token (\`xoxb-…\`).
    baton config set platforms.slack.botToken '{ file: secrets/slack-bot-token.key }'    # the file holds the secret; chmod 600
  SLACK_APP_TOKEN: The app-level token for Socket Mode (\`xapp-…\`).
    baton config set platforms.slack.appToken '{ file: secrets/slack-app-token.key }'    # the file holds the secret; chmod 600
Then run \`baton setup slack --yes\` to check them with Slack.
`);
    expect(readdirSync(home)).toEqual([]);
  });

  test("a default is not said to be set, and a choice has its options", async () => {
    const told = await baton(makeHome(), ["setup", "feishu", "--yes"]);
    expect(told.stderr).toContain(`  FEISHU_DOMAIN, optional (default: feishu): Where the organization is`);
    expect(told.stderr).toContain("    baton config set platforms.feishu.domain feishu|lark\n");
    const lark = await baton(makeHome(), ["setup", "feishu", "--yes"], { env: { FEISHU_DOMAIN: "lark" } });
    expect(lark.stderr).toContain("  FEISHU_DOMAIN, set (FEISHU_DOMAIN): ");
  });

  test("another bot may be named with the platform's name or without it", async () => {
    const [short, whole] = await Promise.all(
      ["work", "telegram-work"].map((as) => baton(makeHome(), ["setup", "telegram", "--as", as, "--yes"])),
    );
    expect(short?.stderr).toContain("baton config set platforms.telegram-work.like telegram");
    expect(whole?.stderr).toBe(short?.stderr);
  });

  test("a signing secret alone means that Slack posts", async () => {
    const env = { SLACK_BOT_TOKEN: slack.botToken, SLACK_SIGNING_SECRET: slack.signingSecret };
    const run = await baton(homeWith(atSlack()), ["setup", "slack", "--yes", "--json"], { env });
    expect(JSON.parse(run.stdout)).toMatchObject({
      next: [
        expect.stringMatching(/^Slack has to reach Baton by HTTPS/),
        expect.anything(),
        expect.anything(),
      ],
    });
    const told = await baton(makeHome(), ["setup", "slack"], { env: { SLACK_MODE: "http" } });
    expect(told.stderr).toContain("baton config set platforms.slack.signingSecret");
    expect(told.stderr).not.toContain("appToken");
  });

  test("--yes asks the platform about what is set, and changes nothing", async () => {
    const home = homeWith(atTelegram());
    const env = { TELEGRAM_BOT_TOKEN: telegram.token };
    const run = await baton(home, ["setup", "telegram", "--yes"], { env });
    expect(run).toMatchObject({ code: 0, stderr: "" });
    expect(run.stdout).toMatch(/^Telegram: connected as @crabline_bot \(Crabline, 424242\)\.\n/);
    const json = await baton(home, ["setup", "telegram", "--yes", "--json"], { env });
    expect(JSON.parse(json.stdout)).toMatchObject({
      platform: "telegram",
      who: "@crabline_bot (Crabline, 424242)",
    });
    expect(configOf(home)).toBe(atTelegram());
  });

  test.each([
    ["wrong", "refused", () => atTelegram(), /Telegram does not know this bot token\./],
    [
      "unreachable",
      "unreachable",
      () => "platforms: { telegram: { baseUrl: http://127.0.0.1:9 } }\n",
      /Telegram cannot be reached/,
    ],
  ])("--yes fails where it is %s, in a sentence", async (_, code, config, sentence) => {
    const home = homeWith(config());
    const env = { TELEGRAM_BOT_TOKEN: WRONG };
    const run = await baton(home, ["setup", "telegram", "--yes", "--json"], { env });
    expect(run).toMatchObject({ code: 1, stdout: "" });
    expect(JSON.parse(run.stderr)).toEqual({ error: { code, message: expect.stringMatching(sentence) } });
    expect(run.stderr).not.toContain("canary");
  });

  test("the help lists the platforms; another name is refused", async () => {
    const help = await baton(makeHome(), ["setup", "--help"]);
    for (const name of ["telegram", "discord", "slack", "whatsapp", "signal", "matrix"]) {
      expect(help.stdout).toContain(`"${name}"`);
    }
    const wrong = await baton(makeHome(), ["setup", "local"]);
    expect(wrong).toMatchObject({ code: 2, stdout: "" });
  });
});
