import { describe, expect, test } from "vitest";
import { addressIn, homeChannelIn, isHomeChannel } from "./home-channel.js";
import { checkText } from "./read-file.js";
import { homeFile } from "./schema.js";
import { readVariables } from "./variables.js";

describe("a home channel", () => {
  test.each([
    ["telegram", "-1001234567890", "-1001234567890", undefined],
    ["telegram", " -1001234567890:7 ", "-1001234567890", "7"],
    ["discord", "135000000000000010:135000000000000022", "135000000000000010", "135000000000000022"],
    ["slack", "C012AB:1700000000.000100", "C012AB", "1700000000.000100"],
    [
      "signal",
      "R3JvdXAgb2YgdGhlIHRlc3RzLCAzMiBieXRlcyBsb24=",
      "R3JvdXAgb2YgdGhlIHRlc3RzLCAzMiBieXRlcyBsb24=",
      undefined,
    ],
    ["matrix", "!abc:example.org", "!abc:example.org", undefined],
    ["matrix", "!abc:example.org:8448", "!abc:example.org:8448", undefined],
    ["matrix", "!abc%3Aexample.org", "!abc:example.org", undefined],
    ["matrix", "!abc:example.org:$event", "!abc:example.org", "$event"],
    ["matrix", "!abc:example.org:$event:example.org", "!abc:example.org", "$event:example.org"],
    ["matrix", "!abc%3Aexample.org:$event", "!abc:example.org", "$event"],
  ])("of %s: %s", (platform, text, chatId, threadId) => {
    expect(addressIn(platform, text)).toEqual({ platform, chatId, ...(threadId ? { threadId } : {}) });
  });

  test("has the name of its ids, and keeps its thread", () => {
    const address = { platform: "telegram", chatId: "-100", threadId: "7" };
    expect(homeChannelIn("telegram", "-100:7")).toEqual({ address, name: "chat -100, thread 7" });
    expect(homeChannelIn("telegram", "-100").name).toBe("chat -100");
  });

  test.each(["", " ", ":7", "1:", "1:2:3", "100%"])("is not %j", (text) => {
    expect(isHomeChannel("telegram", text)).toBe(false);
  });

  test("that is none is a mistake where it is set, in a file and in a variable", () => {
    const { problems } = checkText("platforms: { telegram: { homeChannel: '1:2:3' } }", "f", homeFile);
    expect(problems).toMatchObject([
      {
        key: "platforms.telegram.homeChannel",
        message: expect.stringContaining("give a chat's id, or chat:thread"),
      },
    ]);
    expect(checkText("platforms: { telegram: { homeChannel: -100 } }", "f", homeFile).problems).toEqual([]);
    expect(readVariables({ TELEGRAM_HOME_CHANNEL: "1:2:3" }).problems).toHaveLength(1);
    expect(readVariables({ TELEGRAM_HOME_CHANNEL: "1:2" }).content).toEqual({
      platforms: { telegram: { homeChannel: "1:2" } },
    });
  });
});
