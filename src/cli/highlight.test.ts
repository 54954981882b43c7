import { expect, test } from "vitest";
import { highlight } from "./highlight.js";

const mark = (text: string) => `[${text}]`;

test.each([
  ["The garden party", "garden", "The [garden] party"],
  ["The Garden, the GARDEN", "garden", "The [Garden], the [GARDEN]"],
  ["un café ici", "cafe", "un [café] ici"],
  ["gardening and gardens", "garden", "gardening and gardens"],
  ["gardening and gardens", "gard*", "[gardening] and [gardens]"],
  ["the garden party", '"garden party"', "the [garden] [party]"],
  ["run chat-send now", "chat-send", "run [chat]-[send] now"],
  ["今日は東京へ行く", "東京", "今日は[東京]へ行く"],
  ["nothing here", "!!! ???", "nothing here"],
  ["a (b) [c]", "b", "a ([b]) [c]"],
])("in %j, %j: %j", (line, query, marked) => {
  expect(highlight(line, query, mark)).toBe(marked);
});
