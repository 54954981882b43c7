import { describe, expect, it } from "vitest";
import { platforms } from "../session/platform.js";
import { foldedWord, newHomeWord } from "./home-word.js";

describe("the word for a home channel", () => {
  it.each([
    ["ops", "ops"],
    ["  Night \u202e\n SHIFT ", "night shift"],
    ["Ann's desk", "ann's desk"],
    ["v1.2_x-y", "v1.2_x-y"],
    ["Küche 2", "küche 2"],
    ["Ku\u0308che", "k\u00fcche"],
    ["रसोई", "रसोई"],
    ["telegram ops", "telegram ops"],
    ["x".repeat(40), "x".repeat(40)],
  ])("%j is %j", (text, word) => {
    expect(newHomeWord(text)).toBe(word);
    expect(foldedWord(text)).toBe(word);
  });

  it.each([
    "",
    "\u200b",
    "x".repeat(41),
    "telegram:1",
    "a:b",
    "ops,nights",
    "telegram/ops",
    "`ops`",
    "#ops",
    "--now",
    "ops --now",
    "*",
  ])("can't be %j", (text) => {
    expect(() => newHomeWord(text)).toThrow(/can't name a home channel\. Use at most 40 letters/);
  });

  it.each([...platforms(), "TELEGRAM", "Origin", "all", "local", "cancel", "list", "remove"])(
    "can't be %j, which means something else",
    (text) => {
      expect(() => newHomeWord(text)).toThrow(/: Baton uses this word itself\. Choose another name\.$/);
    },
  );
});
