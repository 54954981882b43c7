/** What the last turn used, beside what the session did, in the words of the status line. Pure. */
import type { TurnFacts } from "../../session/turn-facts.js";
import { dollars } from "../../util/words.js";

/** The session as the status line knows it. */
export interface UsedStatus {
  readonly agent?: string;
  /** Of the session so far. */
  readonly tokens?: number;
  /** In US dollars; what is not known is not in it. */
  readonly cost?: number;
}

/** `turn`: the last one of this session, if it was seen here. */
export function usedWords({ agent, tokens, cost = 0 }: UsedStatus, turn: TurnFacts | null): string[] {
  const { usage } = turn ?? {};
  return [
    modelWords(agent ?? "", turn),
    tokens === undefined ? "" : `${shortNumber(tokens)} tokens${added(usage?.totalTokens, shortNumber)}`,
    costWords(cost, usage?.cost),
  ];
}

/** What one turn used, by itself: the model that answered, its tokens and the cost, as far as they are known. */
export function turnWords({ model, asked, usage }: TurnFacts): string[] {
  const { totalTokens, cost } = usage;
  const used = totalTokens > 0 ? { tokens: totalTokens, cost: cost ?? 0 } : {}; // The server has not said what it took.
  return usedWords({ agent: model ?? asked, ...used }, null).filter((word) => word !== "");
}

/** The model to be asked; if another one answered for it, that one too. */
function modelWords(agent: string, turn: TurnFacts | null): string {
  const model = turn?.asked === agent ? turn.model : null;
  if (model === null || model === agent) return agent;
  const last = agent.split("/").at(-1) ?? agent;
  // `gpt-5` answers as `gpt-5-2026-01-15`: that says both.
  return agent === "" || model.startsWith(last) ? model : `${agent} → ${model}`;
}

/** `$0.12 (+$0.0031)`; nothing if no cost is known. */
function costWords(total: number, ofTurn: number | null | undefined): string {
  if (ofTurn === null) return total > 0 ? `${dollars(total)} + unknown` : "";
  return total > 0 ? `${dollars(total)}${added(ofTurn, dollars)}` : "";
}

function added(value: number | undefined, words: (value: number) => string): string {
  return value === undefined || value === 0 ? "" : ` (+${words(value)})`;
}

function shortNumber(value: number): string {
  if (value < 1_000) return `${value}`;
  const [scaled, unit] = value < 999_500 ? [value / 1_000, "k"] : [value / 1_000_000, "M"];
  return `${scaled < 9.95 ? scaled.toFixed(1) : Math.round(scaled)}${unit}`;
}
