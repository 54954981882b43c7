import fc from "fast-check";
import { expect, it } from "vitest";
import { prettyArguments, shortArguments } from "./shown-arguments.js";

it.each([
  ['{"command":"ls -l","cwd":"/"}', "ls -l"],
  ['{"count":3,"path":"a.txt"}', "a.txt"],
  ['{"count":3}', '{"count":3}'],
  ["{}", ""],
  ['["a"]', "a"],
  ["null", "null"],
  ["", ""],
  ['{"half": "js', '{"half": "js'],
  ['{"text":"<b>\\n two"}', "<b> two"],
])("says in a line what %s is about", (json, short) => {
  expect(shortArguments(json)).toBe(short);
});

it("shows what is JSON with one member a line, and anything else as it is", () => {
  expect(prettyArguments('{"a":[1]}')).toBe('{\n  "a": [\n    1\n  ]\n}');
  expect(prettyArguments("{a}")).toBe("{a}");
  const long = `["${"x".repeat(200_000)}"]`;
  expect(prettyArguments(long)).toBe(long);
});

it.each([60, 1_000, 5_000, 90_000])("shows what is %i deep as it is", (depth) => {
  for (const json of [
    "[".repeat(depth) + "]".repeat(depth),
    `${'{"a":'.repeat(depth / 5)}1${"}".repeat(depth / 5)}`,
  ])
    expect(prettyArguments(json).length).toBeLessThan(10 * json.length);
  const deep = "[".repeat(depth) + "]".repeat(depth);
  expect(prettyArguments(deep)).toBe(deep);
  expect(shortArguments(deep)).toHaveLength(90);
});

it("takes whatever a model writes", () => {
  fc.assert(
    fc.property(fc.oneof(fc.json(), fc.string()), (text) => {
      expect(shortArguments(text).length).toBeLessThanOrEqual(90);
      expect(prettyArguments(text).replaceAll(/\s/g, "").length).toBeGreaterThanOrEqual(0);
    }),
  );
});
