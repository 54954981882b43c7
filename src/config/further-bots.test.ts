/** Further bots in the settings: named by a file or by variables, checked, and said what is wrong of them. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { registerFurtherBot } from "../session/further-bot.js";
import { isPlatform, registerPlatform } from "../session/platform.js";
import { text } from "../util/setting.js";
import { checkConfig } from "./check.js";
import { readEnvironment } from "./environment.js";
import { secretVariableNames } from "./hide-environment.js";
import { loadConfig, loadFurtherBots } from "./load.js";
import { secretsOf } from "./secrets.js";
import { setKey, unsetKey } from "./set.js";
import { settingsOf } from "./settings.js";

let root: string;
let home: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "baton-bots-"));
  home = join(root, "home");
  mkdirSync(home);
});
afterEach(() => rmSync(root, { recursive: true }));

const homeFile = (written: string) => writeFileSync(join(home, "config.yaml"), written);
const load = (variables: Readonly<Record<string, string>> = {}) =>
  loadConfig(readEnvironment({ BATON_HOME: home, ...variables }), root);
const problemsOf = async (variables: Readonly<Record<string, string>> = {}) => {
  const { problems, warnings } = await checkConfig(readEnvironment({ BATON_HOME: home, ...variables }), root);
  return { problems: problems.map(({ message }) => message), warnings };
};

describe("a file", () => {
  test("names further bots, each with its settings, people and policies", async () => {
    homeFile(`
busy: { byPlatform: { telegram-one: queue } }
people: { allow: { telegram-one: [7] } }
platforms:
  telegram: { homeChannel: 1 }
  telegram-one: { like: telegram, token: { file: t }, homeChannel: 2, answer: all }
`);
    const config = await load();
    expect(config.platforms.telegram).toMatchObject({ homeChannel: "1", answer: "addressed" });
    expect(config.platforms["telegram-one"]).toMatchObject({
      like: "telegram",
      homeChannel: "2",
      answer: "all",
    });
    expect(config.people.allow["telegram-one"]).toEqual(["7"]);
    expect(config.busy.byPlatform).toEqual({ "telegram-one": "queue" });
    expect(settingsOf(config).find(({ key }) => key === "platforms.telegram-one.like")).toMatchObject({
      value: "telegram",
      from: expect.stringContaining("config.yaml:6"),
    });
  });

  test("of a project may use the name, but gives none", async () => {
    homeFile("platforms: { telegram-two: { like: telegram } }\n");
    writeFileSync(join(root, "baton.yaml"), "busy: { byPlatform: { telegram-two: queue } }\n");
    expect((await load()).busy.byPlatform).toEqual({ "telegram-two": "queue" });
    writeFileSync(join(root, "baton.yaml"), "platforms: { telegram-three: { like: telegram } }\n");
    await expect(load()).rejects.toThrow(/platforms: a project's file cannot set who gets in/);
    expect(isPlatform("telegram-three")).toBe(false);
  });

  test("that is wrong is refused with one sentence for each, and where it stands", async () => {
    homeFile(`
platforms:
  telegram-four: { like: telegrm, token: { file: t } }
  slack: { like: telegram }
  telegram-five: { token: { file: t } }
  telegram-six: { like: 6 }
  telegram-seven: { like: telegram, tokn: 1 }
`);
    const { problems } = await problemsOf();
    expect(problems).toEqual([
      'platforms.telegram-four.like: there can be no further bot of "telegrm". Did you mean "telegram"?',
      expect.stringMatching(
        /^platforms\.slack\.like: the name of another Telegram bot begins with "telegram-"/,
      ),
      expect.stringMatching(/^platforms\.telegram-six\.like: use one of telegram, /),
      'platforms.telegram-seven.tokn: unknown key. Did you mean "token"?',
      'platforms.telegram-five: unknown platform. For another Telegram bot, write "like: telegram" below it.',
    ]);
    await expect(load()).rejects.toThrow("config.yaml:3: platforms.telegram-four.like");
  });

  test("without `like` is refused also if the bot is known already", async () => {
    registerFurtherBot("telegram-eight", "telegram");
    homeFile("platforms: { telegram-eight: { homeChannel: 5 } }\n");
    expect((await problemsOf()).problems).toEqual(['platforms.telegram-eight.like: write "like: telegram".']);
  });
});

describe("a variable", () => {
  test("sets what a further bot needs, by a name of its own", async () => {
    homeFile("platforms: { slack-one: { like: slack } }\n");
    await loadFurtherBots(home, {});
    expect(secretVariableNames()).toContain("BATON_PLATFORMS_SLACK_ONE_BOT_TOKEN");
    const { platforms } = await load({
      BATON_PLATFORMS_SLACK_ONE_BOT_TOKEN: "xoxb-1",
      SLACK_BOT_TOKEN: "xoxb-2",
      SLACK_ONE_HOME_CHANNEL: "C1",
    });
    expect(platforms["slack-one"]?.homeChannel).toBe("C1");
    expect(String(platforms["slack-one"]?.botToken)).toBe("***");
    const tokens = secretsOf([platforms.slack, platforms["slack-one"]]).map((secret) => secret.reveal());
    expect(tokens).toEqual(["xoxb-2", "xoxb-1"]);
  });

  test("names a further bot, also one of a platform with a _", async () => {
    registerPlatform("two_words", { title: "Two", settings: { pen: text({ description: "A pen." }) } });
    const config = await load({
      BATON_PLATFORMS_SLACK_TWO_A_LIKE: "slack",
      BATON_PLATFORMS_TWO_WORDS_B_LIKE: "two_words",
    });
    expect(config.platforms["slack-two-a"]).toMatchObject({ like: "slack" });
    expect(config.platforms["two_words-b"]).toMatchObject({ like: "two_words" });
  });

  test("that names none is said, once", async () => {
    const { problems, warnings } = await problemsOf({ BATON_PLATFORMS_SLACK_THREE_LIKE: "slac" });
    expect(problems).toEqual(['there can be no further bot of "slac". Did you mean "slack"?']);
    expect(warnings).toEqual([]);
    await expect(load({ BATON_PLATFORMS_SLACK_THREE_LIKE: "slac" })).rejects.toThrow(
      "BATON_PLATFORMS_SLACK_THREE_LIKE: there can be no",
    );
  });
});

describe("config set", () => {
  test("adds a further bot key by key, and takes it away as a whole", async () => {
    await expect(setKey(home, "platforms.matrix-one.userId", "@a:b")).rejects.toThrow(
      'platforms.matrix-one: unknown platform. For another Matrix bot, write "like: matrix" below it.',
    );
    await setKey(home, "platforms.matrix-one.like", "matrix");
    const { variable } = await setKey(home, "platforms.matrix-one.userId", "@a:b");
    expect(variable).toBe("BATON_PLATFORMS_MATRIX_ONE_USER_ID");
    expect((await load()).platforms["matrix-one"]).toMatchObject({ like: "matrix", userId: "@a:b" });
    await expect(unsetKey(home, "platforms.matrix-one.like")).rejects.toThrow(/write "like: matrix"/);
    await unsetKey(home, "platforms.matrix-one");
    expect(readFileSync(join(home, "config.yaml"), "utf8")).not.toContain("matrix-one");
    expect((await load()).platforms["matrix-one"]).toMatchObject({ like: null, userId: null });
  });

  test("refuses what can be none", async () => {
    await expect(setKey(home, "platforms.matrix-two.like", "slack")).rejects.toThrow(
      /platforms\.matrix-two\.like: the name of another Slack bot begins with "slack-"/,
    );
    await expect(setKey(home, "platforms.slack.like", "slack")).rejects.toThrow(/begins with "slack-"/);
  });
});
