import { describe, expect, it } from "vitest";
import { emojiNamed } from "./emoji-names.js";

describe("an emoji by its name", () => {
  it.each([
    ["thumbsdown", "👎"],
    ["-1::skin-tone-5", "👎"],
    ["+1_medium_light_skin_tone", "👍"],
    ["thumbsup_medium_skin_tone", "👍"],
    ["x", "❌"],
    ["our-logo", ":our-logo:"],
    ["constructor", ":constructor:"],
  ])("%s is %s", (name, emoji) => {
    expect(emojiNamed(name)).toBe(emoji);
  });
});
