/** Usage in words and figures, as `/usage` and `baton usage` show it. A cost that is not known is never shown as nothing. */
import { cleanLine } from "../util/text.js";
import { counted, dollars } from "../util/words.js";
import { dayOf } from "./limits.js";
import type { UsageSum } from "./usage-store.js";

const DAY_MS = 24 * 60 * 60 * 1_000;

/** So many days (UTC) up to today, oldest first. */
export function lastDays(now: number, count: number): string[] {
  return Array.from({ length: count }, (_, n) => dayOf(now - (count - 1 - n) * DAY_MS).day);
}

/** Nothing was used. */
export function noUsage(key: string): UsageSum {
  return {
    key,
    modelCalls: 0,
    unpricedCalls: 0,
    inputTokens: 0,
    outputTokens: 0,
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    totalTokens: 0,
    cost: 0,
  };
}

/** All of them together. */
export function together(sums: readonly UsageSum[], key = "total"): UsageSum {
  return sums.reduce(
    (sum, each) => ({
      key,
      modelCalls: sum.modelCalls + each.modelCalls,
      unpricedCalls: sum.unpricedCalls + each.unpricedCalls,
      inputTokens: sum.inputTokens + each.inputTokens,
      outputTokens: sum.outputTokens + each.outputTokens,
      cacheReadTokens: sum.cacheReadTokens + each.cacheReadTokens,
      cacheWriteTokens: sum.cacheWriteTokens + each.cacheWriteTokens,
      totalTokens: sum.totalTokens + each.totalTokens,
      cost: sum.cost + each.cost,
    }),
    noUsage(key),
  );
}

/** `$1.25`, `unknown`, or `$1.25 + unknown` if only some of it is known. */
export function costWords({ cost, unpricedCalls }: Pick<UsageSum, "cost" | "unpricedCalls">): string {
  if (unpricedCalls === 0) return dollars(cost);
  return cost > 0 ? `${dollars(cost)} + unknown` : "unknown";
}

/** `1,234 tokens, $0.01`. */
export function usedWords(sum: UsageSum): string {
  if (sum.modelCalls === 0) return "nothing";
  const cost = costWords(sum);
  return `${counted(sum.totalTokens, "token")}, ${cost === "unknown" ? "cost unknown" : cost}`;
}

/** The models whose price is not known, given the sums by model. */
export function unpricedModels(byModel: readonly UsageSum[]): string[] {
  return byModel.filter(({ unpricedCalls }) => unpricedCalls > 0).map(({ key }) => modelName(key));
}

/** Says of which models the cost is not known, and what to do; nothing if all are known. */
export function unpricedNote(models: readonly string[]): string[] {
  if (models.length === 0) return [];
  return [`Cost unknown for ${models.join(", ")}. Set a price in agent.prices in config.yaml.`];
}

export function modelName(key: string): string {
  return cleanLine(key) || "a model without a name";
}
