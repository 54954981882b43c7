import { describe, expect, it } from "vitest";
import { text } from "../util/setting.js";
import { platformInName, registerFurtherBot } from "./further-bot.js";
import { foldId, platforms, platformTraits, registerPlatform } from "./platform.js";
import { buildSessionKey, parseSessionKey } from "./session-key.js";
import { formatAddress, parseAddress } from "./source.js";

registerPlatform("paper", {
  title: "Paper",
  foldId: (id) => id.toLowerCase(),
  settings: { pen: text({ description: "What it writes with.", variable: "PAPER_PEN" }) },
});
registerPlatform("paper-plane", { title: "Paper plane" });
registerPlatform("stone", { title: "Stone" });

describe("a further bot", () => {
  registerFurtherBot("paper-work", "paper");

  it("has the traits of its platform, a title of its own, and no variable of the other one", () => {
    expect(platformTraits("paper-work")).toMatchObject({ title: "Paper (work)", like: "paper" });
    expect(platformTraits("paper-work").settings?.pen).toMatchObject({ description: "What it writes with." });
    expect(platformTraits("paper-work").settings?.pen).not.toHaveProperty("variable");
    expect(platformTraits("paper").settings?.pen).toHaveProperty("variable", "PAPER_PEN");
    expect(foldId("paper-work", "ANN")).toBe("ann");
  });

  it("has keys and addresses of its own", () => {
    const source = { platform: "paper-work", chatId: "7", chatType: "dm" as const };
    const key = buildSessionKey(source);
    expect(key).not.toBe(buildSessionKey({ ...source, platform: "paper" }));
    expect(parseSessionKey(key)).toMatchObject({ platform: "paper-work" });
    expect(formatAddress(parseAddress("Paper-Work:7:2"))).toBe("paper-work:7:2");
  });

  it("can be registered again, as when the settings are read twice", () => {
    const before = platforms();
    registerFurtherBot("paper-work", "paper");
    expect(platforms()).toEqual(before);
  });

  it.each([
    ["pen-work", "paper", /begins with "paper-", as in paper-work/],
    ["paper", "paper", /begins with "paper-"/],
    ["paper-", "paper", /begins with "paper-"/],
    ["paper-Work", "paper", /lower-case letters/],
    ["paper-a_b", "paper", /lower-case letters/],
    ["paper--a", "paper", /lower-case letters/],
    [`paper-${"a".repeat(27)}`, "paper", /At most 32 characters/],
    ["paper-plane", "paper", /^"paper-plane" is a platform itself/],
    ["paper-work-two", "paper-work", /^"paper-work" is itself like "paper"\. Write "like: paper"/],
    ["papr-work", "papr", /no further bot of "papr"\. Did you mean "paper"\?/],
    ["stone-work", "stone", /no further bot of "stone"\. Use one of telegram, /],
    ["local-work", "local", /no further bot of "local"/],
  ])("cannot be called %s like %s", (name, like, sentence) => {
    const before = platforms();
    expect(() => registerFurtherBot(name, like)).toThrow(sentence);
    expect(platforms()).toEqual(before);
  });

  it("is found by its name, as far as that says something", () => {
    expect(platformInName("paper-home")).toBe("paper");
    expect(platformInName("paperhome")).toBeNull();
    expect(platformInName("stone-home")).toBeNull();
  });
});
