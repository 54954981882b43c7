import { expect, test } from "vitest";
import { didYouMean, nearest } from "./nearest.js";

test.each([
  ["defalt", ["default", "byPlatform"], "default"],
  ["byplatfrom", ["default", "byPlatform", "byChatType"], "byPlatform"],
  ["tiemzone", ["timezone", "scopes"], "timezone"],
  ["stroe", ["store", "reset"], "store"],
  ["banana", ["store", "reset"], null],
  ["", ["store"], null],
])("%j among %j is %j", (word, known, meant) => {
  expect(nearest(word, known)).toBe(meant);
});

test("the nearest wins, not the first that is near", () => {
  expect(nearest("rests", ["tests", "reset", "rest"])).toBe("tests");
  expect(nearest("reset", ["rests", "reset"])).toBe("reset");
});

test("a sentence only where something can be meant", () => {
  expect(didYouMean("tiemzone", ["timezone"])).toBe(' Did you mean "timezone"?');
  expect(didYouMean("banana", ["timezone"])).toBe("");
});
