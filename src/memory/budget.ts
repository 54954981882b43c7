/**
 * How a model's context window is divided, and what is to be done before a request: send it as it is, sum up older
 * messages beside the conversation, or make room first. Pure.
 */

export interface WindowBudget {
  /** The most that a request may have; the rest of the window is for the answer. */
  readonly request: number;
  /** From here on, older messages are summed up. */
  readonly start: number;
  /** About this much of the end of the conversation stays word for word. */
  readonly kept: number;
  /** The most that a summary may have. */
  readonly summary: number;
  /** The most that is summed up at once. */
  readonly chunk: number;
}

const MOST_FOR_ANSWER = 8_192;
/** For what the model is told about its task. */
const TASK = 700;

/** `besides`: what every request of the conversation has besides its messages. */
export function budgetOf(windowTokens: number, share: number, besides = 0): WindowBudget {
  const request = Math.floor(windowTokens - Math.min(MOST_FOR_ANSWER, windowTokens / 4));
  const start = Math.floor(Math.min(share * windowTokens, 0.9 * request));
  const forMessages = Math.max(start - besides, start / 4);
  const summary = Math.floor(Math.min(4_000, 0.2 * forMessages));
  return {
    request,
    start,
    kept: Math.floor(0.4 * forMessages),
    summary,
    chunk: Math.max(500, Math.floor(0.9 * request) - 2 * summary - TASK),
  };
}

/** The same in our estimates, for a model that counts by this ratio. */
export function inEstimates(budget: WindowBudget, ratio: number): WindowBudget {
  const less = (tokens: number) => Math.floor(tokens / ratio);
  return {
    request: less(budget.request),
    start: less(budget.start),
    kept: less(budget.kept),
    summary: less(budget.summary),
    chunk: less(budget.chunk),
  };
}

export interface NextRequest {
  /** What it would have, by the ratio of this session. */
  readonly tokens: number;
  /** How many messages of the transcript it has, of how many at most. */
  readonly messages: number;
  readonly maxMessages: number;
  /** True if the model has just refused it as too long. */
  readonly refused: boolean;
}

export type RoomDecision = "as it is" | "sum up beside" | "make room";

/** Of so many messages, older ones are summed up before they leave the window without a trace. */
const FULL = 0.8;

/** The one rule, before each request to a model. */
export function decide(
  { tokens, messages, maxMessages, refused }: NextRequest,
  budget: WindowBudget,
): RoomDecision {
  if (refused || tokens > budget.request) return "make room";
  return tokens > budget.start || messages > FULL * maxMessages ? "sum up beside" : "as it is";
}

/** An estimate is not trusted too much before the first answer. */
export const FIRST_RATIO = 1.15;
const [LEAST, MOST] = [0.5, 5];

/** By what the provider counts differently, after it counted a request. It grows at once and shrinks slowly. */
export function learnt(ratio: number, estimated: number, counted: number): number {
  if (estimated <= 0 || counted <= 0) return ratio;
  const seen = Math.min(MOST, Math.max(LEAST, counted / estimated));
  return seen >= ratio ? seen : (ratio + seen) / 2;
}

/** After a request was refused as too long: it had at least what the window takes. */
export function learntFromRefusal(ratio: number, estimated: number, windowTokens: number): number {
  return Math.min(MOST, Math.max(ratio * 1.25, estimated > 0 ? (windowTokens / estimated) * 1.05 : ratio));
}

/** The most that a new summary may have: what it adds to the one before it is at most half of the messages it replaces. */
export function mostForSummary(
  replacedTokens: number,
  beforeTokens: number,
  { summary }: WindowBudget,
): number {
  return Math.min(beforeTokens + Math.floor(replacedTokens / 2), 2 * summary);
}
