/** What a step used, and what that costs at the configured prices. */
import type { Usage } from "../../session/session.js";
import type { ModelUsage } from "./provider.js";

/** In US dollars for a million tokens. Cache reads and writes cost the input price unless they have their own. */
export interface Prices {
  readonly input: number;
  readonly output: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
}

/** The price of the model that answered, or else of the one that was asked. A server may name anything as its model. */
export function priceOf(
  prices: Readonly<Record<string, Prices>>,
  ...models: readonly (string | null)[]
): Prices | undefined {
  const priced = models.find((model) => model !== null && Object.hasOwn(prices, model));
  return priced == null ? undefined : prices[priced];
}

/** Input tokens without those read from or written to the cache: the session adds up all four. */
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

/** A server may send something that is not a number of tokens. */
function tokens(count: number | undefined): number {
  return count !== undefined && Number.isFinite(count) && count > 0 ? Math.floor(count) : 0;
}
