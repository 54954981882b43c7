import { expect, it } from "vitest";
import { causeText } from "./problem.js";

it("a cause is shown with what caused it", () => {
  const text = causeText(new Error("above", { cause: new Error("below", { cause: "a text" }) }));
  expect(text).toMatch(/^Error: above\n[\s\S]*\nCaused by: Error: below\n[\s\S]*\nCaused by: a text$/);
});

it("hostile causes cost little and throw nothing", () => {
  const [one, two] = [new Error("one"), new Error("two")];
  one.cause = two;
  two.cause = one;
  expect(causeText(one).match(/Caused by/g)).toHaveLength(4);
  expect(causeText(new Error("x".repeat(10_000_000))).length).toBeLessThan(10_000);
  expect(causeText(Object.create(null))).toBe("an error that can't be shown");
});
