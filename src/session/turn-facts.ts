/** What a turn tells of itself besides its words: what it used when it is over, and why it waits meanwhile. */
import type { SessionId } from "./ids.js";

export interface TurnFacts {
  readonly sessionId: SessionId;
  /** The model that the turn asked for: the session's choice, or the agent's name. */
  readonly asked: string;
  /** The model that answered last, as its provider names it; null if none answered. */
  readonly model: string | null;
  readonly usage: TurnUsage;
  /** What its session used so far, with this turn. */
  readonly session: { readonly tokens: number; readonly cost: number };
  /** Why it failed, as people are told; absent if it did not. */
  readonly error?: string;
}

/** All model calls of the turn together. */
export interface TurnUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  readonly totalTokens: number;
  /** In US dollars; null if the price of a call is not known. */
  readonly cost: number | null;
}

/** A request to a model failed for now, and is made again after a wait. */
export interface ModelRetry {
  /** A sentence without its full stop: `api.example.com is rate-limiting you (429)`. */
  readonly reason: string;
  readonly waitMs: number;
  /** Which attempt comes next, and how many there are at most. */
  readonly attempt: number;
  readonly attempts: number;
}
