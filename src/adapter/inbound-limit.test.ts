import { expect, it } from "vitest";
import { boundedText, MAX_INBOUND } from "./inbound-limit.js";

it("a text that any platform lets through stays as it is", () => {
  const text = "é".repeat(MAX_INBOUND);
  expect(boundedText(text)).toBe(text);
});

it("a longer one is cut between two characters, and says so", () => {
  const cut = boundedText("👩‍👩‍👧".repeat(MAX_INBOUND));
  expect(cut.length).toBeLessThanOrEqual(MAX_INBOUND);
  expect(cut.isWellFormed()).toBe(true);
  expect(cut).toMatch(/…\n\[cut off here: the message has \d+ characters\]$/);
});
