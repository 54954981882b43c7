import { expect, test } from "vitest";
import { KEYS, keysHelp } from "./own-commands.js";

test("each key is explained once", () => {
  const keys = KEYS.map(([each]) => each);
  expect(new Set(keys).size).toBe(keys.length);
  expect(keysHelp(false).match(/^- y, n, a: /gm)).toHaveLength(1);
});
