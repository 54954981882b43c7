import { describe, expect, test } from "vitest";
import { readEnvironment } from "./config/environment.js";
import { loadConfig } from "./config/load.js";
import { openPlatforms } from "./open-platforms.js";

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
      expect.stringMatching(/^Telegram is left out: Telegram does not know this bot token\./),
      "Slack also needs SLACK_APP_TOKEN; until then it is left out. `baton setup slack` asks for it.",
    ]);
  });
});
