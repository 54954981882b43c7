import fc from "fast-check";
import { expect, test } from "vitest";
import { jsonText } from "./terminal.js";

test("JSON for a terminal is the same value, without a character that a terminal obeys", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.string({ unit: "binary" }), (value, text) => {
      const json = jsonText({ value, text });
      expect(JSON.parse(json)).toEqual(JSON.parse(JSON.stringify({ value, text })));
      expect(json).not.toMatch(
        /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/,
      );
    }),
    { numRuns: 200 },
  );
});

test("tag characters, which hide text, are written out", () => {
  expect(jsonText("a\u{e0041}\u202e\u009b")).toBe('"a\\udb40\\udc41\\u202e\\u009b"');
});
