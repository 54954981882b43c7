import { expect, test } from "vitest";
import type { SessionId } from "../../session/ids.js";
import type { TurnFacts } from "../../session/turn-facts.js";
import { usedWords } from "./used-words.js";

const turn = (
  more: Partial<TurnFacts> = {},
  totalTokens = 1_234,
  cost: number | null = 0.0031,
): TurnFacts => ({
  sessionId: "s" as SessionId,
  asked: "auto",
  model: "auto",
  usage: { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, totalTokens, cost },
  session: { tokens: 48_000, cost: 0.12 },
  ...more,
});

test("before the first turn it is only what the session has", () => {
  expect(usedWords({ agent: "auto", tokens: 0 }, null)).toEqual(["auto", "0 tokens", ""]);
  expect(usedWords({ agent: "auto", tokens: 48_000, cost: 0.12 }, null)).toEqual([
    "auto",
    "48k tokens",
    "$0.12",
  ]);
});

test("after a turn, its tokens and its cost stand beside the total", () => {
  expect(usedWords({ agent: "auto", tokens: 48_000, cost: 0.12 }, turn())).toEqual([
    ...["auto", "48k tokens (+1.2k)", "$0.12 (+$0.0031)"],
  ]);
});

test("a cost that is not known is never shown as nothing", () => {
  const unknown = turn({}, 10, null);
  expect(usedWords({ agent: "auto", tokens: 10 }, unknown)[2]).toBe("");
  expect(usedWords({ agent: "auto", tokens: 10, cost: 0.5 }, unknown)[2]).toBe("$0.50 + unknown");
});

test("the model that really answered is named, until another one is chosen", () => {
  const model = (agent: string, facts: Partial<TurnFacts>) => usedWords({ agent }, turn(facts))[0];
  expect(model("auto", { model: "big-7b" })).toBe("auto → big-7b");
  expect(model("gpt-5", { asked: "gpt-5", model: "gpt-5-2026-01-15" })).toBe("gpt-5-2026-01-15");
  expect(model("openai/gpt-5", { asked: "openai/gpt-5", model: "gpt-5-mini" })).toBe("gpt-5-mini");
  expect(model("small", { model: "big-7b" })).toBe("small");
  expect(model("auto", { model: null })).toBe("auto");
});
