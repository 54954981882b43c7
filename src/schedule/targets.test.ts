import { describe, expect, it } from "vitest";
import { parseTargets, TARGET_FORMS } from "./targets.js";

describe("parseTargets", () => {
  it.each([
    ["origin", ["origin"]],
    [" Origin ,LOCAL,All", ["origin", "file", "all"]],
    ["telegram, telegram:-100123:7,work", ["place", "place", "place"]],
    ["originally", ["place"]],
  ])("reads %j", (text, kinds) => {
    expect(parseTargets(text).map(({ kind }) => kind)).toEqual(kinds);
  });

  it("keeps each word as it was written, once", () => {
    expect(parseTargets(" Work , telegram:1,Work")).toEqual([
      { kind: "place", word: "Work" },
      { kind: "place", word: "telegram:1" },
    ]);
  });

  it.each(["", " ", ",", "origin,", "a,,b", "x".repeat(301)])("refuses %j and names the forms", (text) => {
    expect(() => parseTargets(text)).toThrow(TARGET_FORMS);
  });

  it("refuses more places than anybody needs", () => {
    const many = (count: number) => Array.from({ length: count }, (_, n) => `telegram:${n}`).join(",");
    expect(parseTargets(many(20))).toHaveLength(20);
    expect(() => parseTargets(many(21))).toThrow("at most 20 places");
  });
});
