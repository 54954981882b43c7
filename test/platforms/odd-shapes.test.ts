/** A payload may be wrong anywhere: what reads it throws nothing, and tells the agent nothing that is only our own mistake. */
import { describe, expect, it } from "vitest";
import { mutate } from "../support/mutated-json.js";
import { randomFrom } from "../support/random.mjs";
import { ALL_SHAPES } from "./shapes/all.js";
import { givenLines } from "./shapes/shape.js";

const MUTATED = 2_000;
const TABLES = new Set([
  "whatsapp",
  "whatsapp by Baileys",
  "signal",
  "matrix",
  "mattermost",
  "feishu",
  "telegram",
]);
const tables = ALL_SHAPES.filter(({ table }) => TABLES.has(table));

describe.each(tables.map((each) => [each.table, each] as const))("on %s", (_, { shapes, read }) => {
  it(`${MUTATED} shapes that are wrong somewhere`, () => {
    const random = randomFrom(15);
    let given = 0;
    for (let n = 0; n < MUTATED; n += 1) {
      const { payload } = shapes[n % shapes.length] ?? {};
      const odd: unknown = mutate(JSON.parse(JSON.stringify(payload)), random);
      const message = read(JSON.parse(JSON.stringify(odd) ?? "null"));
      if (!message) continue;
      given += 1;
      for (const line of givenLines(message)) expect(line).not.toMatch(/undefined|NaN|\[object/);
    }
    expect(given).toBeGreaterThan(MUTATED / 4);
  });
});
