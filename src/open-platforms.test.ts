import { describe, expect, test } from "vitest";
import { manifest } from "./adapter/manifest.js";
import { readEnvironment } from "./config/environment.js";
import { hideEnvironment } from "./config/hide-environment.js";
import { loadConfig } from "./config/load.js";
import { openPlatforms } from "./open-platforms.js";
import { registerPlatform } from "./session/platform.js";
import { ScriptedAdapter } from "./testing/scripted-adapter.js";
import { choice, secret } from "./util/setting.js";

const openWith = async (variables: Readonly<Record<string, string>>) =>
  openPlatforms(await loadConfig(readEnvironment({ BATON_HOME: "/nonexistent", ...variables }), "/"));

describe("platforms", () => {
  test("are opened without asking anybody, each under its account", async () => {
    const { adapters, problems } = await openWith({
      SLACK_BOT_TOKEN: "xoxb-1234567890-9876543210-aaa",
      SLACK_APP_TOKEN: "xapp-1",
      BATON_PLATFORMS_SLACK_BASE_URL: "http://127.0.0.1:9",
      MATRIX_HOMESERVER: "http://127.0.0.1:9",
      MATRIX_ACCESS_TOKEN: "token",
      MATRIX_USER_ID: "@bot:example.org",
    });
    expect(problems).toEqual([]);
    expect(adapters.map(({ platform, account }) => [platform, account])).toEqual([
      ["slack", "1234567890.9876543210"],
      ["matrix", "@bot:example.org"],
    ]);
  });

  test("that lack something, or have a token that is none, are left out with a sentence that says what to do", async () => {
    const { adapters, problems } = await openWith({ SLACK_BOT_TOKEN: "xoxb-1", TELEGRAM_BOT_TOKEN: "none" });
    expect(adapters).toEqual([]);
    expect(problems).toEqual([
      expect.stringMatching(/^Telegram is off: Telegram does not know this bot token\./),
      "Slack is off: it also needs SLACK_APP_TOKEN. Run `baton setup slack`.",
    ]);
  });
});

describe("further bots", () => {
  const TWO = { TELEGRAM_BOT_TOKEN: "111:aaa", BATON_PLATFORMS_TELEGRAM_WORK_LIKE: "telegram" };

  test("are opened beside the first one, each under its name and account", async () => {
    const { adapters, problems } = await openWith({ ...TWO, BATON_PLATFORMS_TELEGRAM_WORK_TOKEN: "222:bbb" });
    expect(problems).toEqual([]);
    expect(adapters.map(({ platform, account }) => [platform, account])).toEqual([
      ["telegram", "111"],
      ["telegram-work", "222"],
    ]);
  });

  test("that are named and lack something are said, and those that nobody names any more are not", async () => {
    expect((await openWith(TWO)).problems).toEqual([
      "Telegram (work) is off: it also needs BATON_PLATFORMS_TELEGRAM_WORK_TOKEN. Run `baton setup telegram-work`.",
    ]);
    expect((await openWith({})).problems).toEqual([]);
  });

  test("with the account of another one are off, so that they do not take each other's messages", async () => {
    const { adapters, problems } = await openWith({ ...TWO, BATON_PLATFORMS_TELEGRAM_WORK_TOKEN: "111:aaa" });
    expect(adapters.map(({ platform }) => platform)).toEqual(["telegram"]);
    expect(problems).toEqual([
      "Telegram (work) is off: it has the same account as Telegram (111). Give each its own: run `baton setup telegram-work`.",
    ]);
  });

  test("have a folder of their own, also those of another package's platform", async () => {
    const { adapters } = await openWith({
      BATON_PLATFORMS_PAPER_TWO_LIKE: "paper",
      BATON_PLATFORMS_PAPER_TWO_PEN: "pencil",
    });
    expect(adapters.map(({ platform, account }) => [platform, account])).toEqual([
      ["paper-two", "pencil black /nonexistent/paper-two"],
    ]);
  });
});

describe("a platform of another package", () => {
  registerPlatform(
    "paper",
    manifest({
      title: "Paper",
      limits: { maxText: 500, unit: "utf16", edit: false, threads: false },
      settings: {
        pen: secret({
          description: "What it writes with.",
          variable: "PAPER_PEN",
          question: { ask: "The pen", looks: /^\w+$/, hint: "One word." },
        }),
        colour: choice(["black", "blue"], "black", { description: "The ink." }),
      },
      steps: ["Take a sheet."],
      check: async ({ pen = "" }) => ({ who: pen, next: [] }),
      open: async ({ pen, colour }, folder) =>
        new ScriptedAdapter({ platform: "paper", account: `${pen()} ${colour} ${folder}` }),
    }),
  );

  test("is a folder of its own: its manifest brings settings, variables, secrets and the adapter", async () => {
    const { adapters, problems } = await openWith({
      PAPER_PEN: "quill",
      BATON_PLATFORMS_PAPER_COLOUR: "blue",
      PAPER_HOME_CHANNEL: "desk",
    });
    expect(problems).toEqual([]);
    expect(adapters.map(({ platform, account }) => [platform, account])).toEqual([
      ["paper", "quill blue /nonexistent/paper"],
    ]);
    const variables = { PAPER_PEN: "quill", PAPER_ROLL: "other" };
    expect(readEnvironment(variables).variables).toEqual({ PAPER_PEN: "quill" });
    hideEnvironment(variables);
    expect(variables).toEqual({ PAPER_ROLL: "other" });
  });

  test("is refused by the words of its settings", async () => {
    await expect(openWith({ BATON_PLATFORMS_PAPER_COLOUR: "red" })).rejects.toThrow(
      "BATON_PLATFORMS_PAPER_COLOUR: use black or blue.",
    );
  });
});
