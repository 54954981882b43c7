import { expect, test } from "vitest";
import { retryWords } from "./retry-words.js";

test("counts down in whole seconds, and says when it is time", () => {
  const retry = { reason: "api.example.com is busy", waitMs: 8_000, attempt: 2, attempts: 4 };
  expect([8_000, 7_001, 7_000, 1, 0, -5].map((left) => retryWords(retry, left).slice(25))).toEqual([
    "trying again in 8 s (2 of 4)",
    "trying again in 8 s (2 of 4)",
    "trying again in 7 s (2 of 4)",
    "trying again in 1 s (2 of 4)",
    "trying again (2 of 4)",
    "trying again (2 of 4)",
  ]);
});
