import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LOCAL, platforms } from "../session/platform.js";
import { type Address, formatAddress } from "../session/source.js";
import { type Places, parseTargets, resolveTargets, type Target } from "./targets.js";

const home = (address: Address) => ({ address, name: "home" });
const places: Places = {
  origin: { platform: "slack", chatId: "C1", threadId: "17.5" },
  homes: [
    home({ platform: "telegram", chatId: "99" }),
    home({ platform: "discord", chatId: "123", threadId: "7" }),
    home({ platform: "signal", chatId: "+49" }),
  ],
  connected: ["telegram", "discord", "slack", "whatsapp", "matrix"],
};
const resolve = (text: string, more: Partial<Places> = {}) =>
  resolveTargets(parseTargets(text), { ...places, ...more });
const names = (text: string, more: Partial<Places> = {}) => resolve(text, more).addresses.map(formatAddress);

describe("targets", () => {
  it("are read, platforms in any case and ids as they are", () => {
    expect(parseTargets("origin, Telegram ,DISCORD:aB:7, matrix:!r%3Aex.org, all,LOCAL,")).toEqual([
      { kind: "origin" },
      { kind: "home", platform: "telegram" },
      { kind: "address", address: { platform: "discord", chatId: "aB", threadId: "7" } },
      { kind: "address", address: { platform: "matrix", chatId: "!r:ex.org" } },
      { kind: "all" },
      { kind: "file" },
    ] satisfies Target[]);
  });

  it.each([
    ["", /No target is named\. Write origin, local, all/],
    [" , ,", /No target is named/],
    ["telegramm", /no platform "telegramm".*platforms are telegram, discord/],
    ["myspace:1", /no platform "myspace"/],
    ["telegram:", /platform:chat or platform:chat:thread/],
    ["telegram:1:2:3", /platform:chat or platform:chat:thread/],
    ["matrix:%zz", /%3A/],
    ["local:cli", /write local alone/],
  ])("%j is a mistake that says what to write", (text, problem) => {
    expect(parseTargets(text)).toEqual([{ kind: "mistake", problem: expect.stringMatching(problem) }]);
    expect(resolve(text)).toEqual({
      addresses: [],
      isLocal: true,
      problems: [expect.stringMatching(problem)],
    });
  });

  it("lead to addresses, each once", () => {
    expect(names("origin, telegram, discord:123:7, all, telegram:99, whatsapp:+15551234567")).toEqual([
      "slack:C1:17.5",
      "telegram:99",
      "discord:123:7",
      "whatsapp:+15551234567",
    ]);
    expect(names("whatsapp:+15551234567, whatsapp:15551234567@s.whatsapp.net")).toHaveLength(1);
    expect(names("discord:123, discord:123:7, discord:a, discord:A")).toHaveLength(4);
  });

  it("are local where that is asked for, and where an origin is not on a platform", () => {
    expect(resolve("local")).toEqual({ addresses: [], isLocal: true, problems: [] });
    expect(resolve("telegram")).toMatchObject({ isLocal: false, problems: [] });
    for (const origin of [null, { platform: LOCAL, chatId: "cli" }])
      expect(resolve("origin", { origin })).toEqual({ addresses: [], isLocal: true, problems: [] });
  });

  it("that cannot be had say what to do, cost no other, and are kept here", () => {
    expect(resolve("slack, telegram")).toEqual({
      addresses: [{ platform: "telegram", chatId: "99" }],
      isLocal: true,
      problems: [
        "Slack has no home channel. Write /sethome in the chat there that is to be it, or name a chat: slack:<chat>.",
      ],
    });
    expect(resolve("all")).toMatchObject({
      isLocal: true,
      problems: [expect.stringMatching(/^Signal is not connected, so nothing was sent to signal:\+49\./)],
    });
    expect(resolve("signal:1, origin", { connected: [] }).problems).toHaveLength(2);
    expect(resolve("all", { homes: [] }).problems[0]).toMatch(
      /No platform has a home channel yet.*\/sethome/,
    );
  });

  it("never throw, never lead to what is not connected, and never drop anything", () => {
    const word = fc.oneof(
      fc.constantFrom("origin", "all", LOCAL, ...platforms()),
      fc
        .tuple(fc.constantFrom(...platforms()), fc.string({ unit: "binary" }))
        .map((parts) => parts.join(":")),
      fc.string({ unit: "binary" }),
    );
    fc.assert(
      fc.property(fc.array(word), fc.subarray([...places.connected]), (words, connected) => {
        const { addresses, isLocal, problems } = resolve(words.join(","), { connected });
        for (const { platform } of addresses) expect(connected).toContain(platform);
        expect(new Set(addresses.map(formatAddress)).size).toBe(addresses.length);
        expect(isLocal || addresses.length > 0).toBe(true);
        if (problems.length > 0) expect(isLocal).toBe(true);
        for (const problem of problems) expect(problem).not.toMatch(/[\p{Cc}]/u);
      }),
      { numRuns: 500 },
    );
  });
});
