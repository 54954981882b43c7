/** What the model calls of one turn used together, for whoever shows the turn. The store has its own sums. */
import type { SessionId } from "../session/ids.js";
import { completeUsage, type ModelUse, tokensIn, usageOfAll } from "../session/session.js";
import type { TurnFacts } from "../session/turn-facts.js";

export type SessionUse = TurnFacts["session"];

export class TurnAccount {
  readonly #sessionId: SessionId;
  readonly #asked: string;
  readonly #before: SessionUse;
  #model: string | null = null;
  #sum = completeUsage();
  #isPriced = true;
  #error: string | null = null;

  /** `before`: what its session had used when it began. */
  constructor(sessionId: SessionId, asked: string, before: SessionUse) {
    this.#before = before;
    this.#sessionId = sessionId;
    this.#asked = asked;
  }

  /** Counts a call, and returns it as it is stored. A number that is none fails here, not in the commit of the step. */
  add({ model, answeredBy, usage }: ModelUse & { readonly answeredBy?: string }): ModelUse {
    const use = { ...(model === undefined ? {} : { model }), usage };
    this.#sum = usageOfAll([{ usage: this.#sum }, use]);
    this.#isPriced &&= usage.cost !== undefined;
    this.#model = answeredBy ?? model ?? this.#model;
    return use;
  }

  /** Notes why the turn failed, as people are told. */
  failed(error: string): void {
    this.#error = error;
  }

  get facts(): TurnFacts {
    const { cost, ...tokens } = this.#sum;
    const totalTokens = tokensIn(tokens);
    const { tokens: tokensBefore, cost: costBefore } = this.#before;
    return {
      sessionId: this.#sessionId,
      asked: this.#asked,
      model: this.#model,
      usage: { ...tokens, totalTokens, cost: this.#isPriced ? cost : null },
      session: { tokens: tokensBefore + totalTokens, cost: costBefore + cost },
      ...(this.#error === null ? {} : { error: this.#error }),
    };
  }
}
