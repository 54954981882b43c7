import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { globMatcher } from "./glob.js";

const matches = (pattern: string, path: string) => globMatcher(pattern)?.(path);

describe("glob", () => {
  it.each([
    ["*.ts", "a.ts", true],
    ["*.ts", "src/deep/a.ts", true],
    ["*.ts", "a.tsx", false],
    ["a?c", "abc", true],
    ["a?c", "ac", false],
    ["src/*.ts", "src/a.ts", true],
    ["./src/*.ts", "src/a.ts", true],
    ["src/*.ts", "src/deep/a.ts", false],
    ["src/**/*.ts", "src/a.ts", true],
    ["src/**/*.ts", "src/x/y/a.ts", true],
    ["**/a.ts", "a.ts", true],
    ["src/**", "src/a/b", true],
    ["src/**", "lib/a", false],
    ["*.{js,ts}", "a.ts", true],
    ["{src,lib}/{a,b}.ts", "lib/b.ts", true],
    ["{src,lib}/{a,b}.ts", "lib/c.ts", false],
    ["a[1].(x)+", "a[1].(x)+", true],
    ["*a*b*", "xxaxxbxx", true],
    ["*a*b*", "xxbxxaxx", false],
  ])("%s on %s: %s", (pattern, path, expected) => {
    expect(matches(pattern, path)).toBe(expected);
  });

  it("agrees with the same pattern as an expression", () => {
    const letters = (chars: string) => fc.string({ unit: fc.constantFrom(...chars), maxLength: 8 });
    fc.assert(
      fc.property(letters("ab*?"), letters("ab"), (pattern, name) => {
        const expression = `^${pattern.replaceAll("*", ".*").replaceAll("?", ".")}$`;
        expect(matches(pattern, name)).toBe(new RegExp(expression).test(name));
      }),
    );
  });

  it("takes no longer for a pattern that is meant to", () => {
    expect(matches("*a".repeat(500), "a".repeat(4_000).concat("b"))).toBe(false);
    expect(matches("**/".repeat(200).concat("b"), "a/".repeat(1_000).concat("c"))).toBe(false);
  });
});
