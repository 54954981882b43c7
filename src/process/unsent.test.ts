import fc from "fast-check";
import { expect, it } from "vitest";
import { unsentAfter } from "./unsent.js";

it.each([
  ["", "rm -rf", "rm -rf"],
  ["rm -rf", " ~", "rm -rf ~"],
  ["rm -rf", " ~\r", ""],
  ["rm -rf", " ~\n", ""],
  ["", "one\ntwo\rthree", "three"],
  ["", "rm -rf \\\n", "rm -rf \\\n"],
  ["rm -rf \\\n", "~", "rm -rf \\\n~"],
  ["", "curl x |\r\n", "curl x |\r\n"],
  ["curl x |\r", "\r", "curl x |\r\r"],
  ["", "\r", ""],
  ["", "true &&\r", "true &&\r"],
  ["true &&\r", "rm\r", ""],
  ["a", "\u0003", "a\u0003"],
])("after %j and %j, %j is unsent", (unsent, text, left) => {
  expect(unsentAfter(unsent, text)).toBe(left);
});

it("is bounded, and keeps what was typed last", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ maxLength: 3_000 })), (texts) => {
      const left = texts.reduce(unsentAfter, "");
      expect(left.length).toBeLessThanOrEqual(4_000);
      expect(texts.join("").endsWith(left)).toBe(true);
    }),
  );
});
