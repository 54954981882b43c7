/** What a step used, and what that costs at the prices one has set. */
import type { Usage } from "../../session/session.js";
import type { ModelUsage } from "./provider.js";

/** In US dollars for a million tokens; what is read from or written to a cache costs as input does unless it is set. */
export interface Prices {
  readonly input: number;
  readonly output: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
}

/** Input counts without what came from the cache or went there: the session adds all four up. */
export function usageOf({ inputTokens, outputTokens }: ModelUsage, prices: Prices | undefined): Usage {
  const cacheRead = tokens(inputTokens.cacheRead);
  const cacheWrite = tokens(inputTokens.cacheWrite);
  const total = tokens(inputTokens.total);
  const input = tokens(inputTokens.noCache ?? Math.max(0, total - cacheRead - cacheWrite));
  const output = tokens(outputTokens.total);
  const usage = {
    inputTokens: input,
    outputTokens: output,
    cacheReadTokens: cacheRead,
    cacheWriteTokens: cacheWrite,
  };
  if (!prices) return usage;
  const millionths =
    input * prices.input +
    output * prices.output +
    cacheRead * (prices.cacheRead ?? prices.input) +
    cacheWrite * (prices.cacheWrite ?? prices.input);
  return { ...usage, cost: millionths / 1_000_000 };
}

/** What a server counts need not be a count. */
function tokens(count: number | undefined): number {
  return count !== undefined && Number.isFinite(count) && count > 0 ? Math.floor(count) : 0;
}
