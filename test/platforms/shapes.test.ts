/** Nothing that a person sends vanishes: each shape gives the agent its text, its files, or one honest line. */
import { describe, expect, it } from "vitest";
import { ALL_SHAPES } from "./shapes/all.js";
import { givenLines } from "./shapes/shape.js";

const ENOUGH = 60;

describe.each(ALL_SHAPES.map((each) => [each.table, each] as const))("on %s", (_, { shapes, read }) => {
  it.each(shapes)("$name", ({ payload, ignored }) => {
    const message = read(payload);
    if (ignored) return void expect(message).toBeNull();
    expect(message).not.toBeNull();
    if (message && message.kind !== "deletion") expect(givenLines(message).join("").trim()).not.toBe("");
  });

  it("there are many of them, each with a name of its own", () => {
    expect(new Set(shapes.map(({ name }) => name)).size).toBe(shapes.length);
    expect(shapes.length).toBeGreaterThanOrEqual(ENOUGH);
  });
});
