import { expect, test } from "vitest";
import type { SessionId } from "../session/ids.js";
import { TurnAccount } from "./turn-account.js";

const BEFORE = { tokens: 100, cost: 2 };

test("a turn adds up its calls, and names the model that answered last", () => {
  const account = new TurnAccount("s" as SessionId, "fast", BEFORE);
  expect(account.facts).toMatchObject({
    sessionId: "s",
    asked: "fast",
    model: null,
    usage: { totalTokens: 0 },
  });
  const usage = { inputTokens: 10, outputTokens: 2, cacheReadTokens: 5, cost: 0.25 };
  expect(account.add({ model: "fast", answeredBy: "fast-2", usage })).toEqual({ model: "fast", usage });
  account.add({ model: "slow", usage: { inputTokens: 1, cost: 0.5 } });
  expect(account.facts).toMatchObject({
    model: "slow",
    usage: { inputTokens: 11, outputTokens: 2, cacheReadTokens: 5, totalTokens: 18, cost: 0.75 },
    session: { tokens: 118, cost: 2.75 },
  });
});

test("one call without a price makes the cost of the turn unknown", () => {
  const account = new TurnAccount("s" as SessionId, "fast", BEFORE);
  account.add({ model: "fast", usage: { inputTokens: 1, cost: 0.5 } });
  account.add({ usage: { inputTokens: 1 } });
  account.add({ model: "fast", usage: { inputTokens: 1, cost: 0.5 } });
  expect(account.facts.usage.cost).toBeNull();
});

test("a number that is none fails before it is counted", () => {
  const account = new TurnAccount("s" as SessionId, "fast", BEFORE);
  expect(() => account.add({ usage: { inputTokens: -1 } })).toThrow(/inputTokens/);
  expect(account.facts.usage.totalTokens).toBe(0);
});
