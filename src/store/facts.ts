/** Facts on their way from a transaction to those who subscribed. */
import type { Fact, Subscriber } from "../gateway/facts.js";

/** The facts of one transaction, each once. They are dropped with it if it is rolled back. */
export class Recorded {
  readonly #facts = new Map<string, Fact>();

  readonly record = (fact: Fact): void => {
    const name = JSON.stringify(fact.kind === "inbox" ? [fact.kind, fact.item.id] : fact);
    this.#facts.set(name, fact);
  };

  get facts(): readonly Fact[] {
    return [...this.#facts.values()];
  }

  get isEmpty(): boolean {
    return this.#facts.size === 0;
  }
}

/** Everyone in this process who wants to know. */
export class Subscribers {
  readonly #all = new Set<Subscriber>();

  /** Returns how to end it. */
  add(subscriber: Subscriber): () => void {
    this.#all.add(subscriber);
    return () => this.#all.delete(subscriber);
  }

  /** What a subscriber throws is its own affair: the commit is made. */
  tell(facts: readonly Fact[]): void {
    for (const fact of facts) {
      for (const subscriber of this.#all) {
        try {
          subscriber(fact);
        } catch (error) {
          process.emitWarning(`A subscriber of the store threw: ${(error as Error).message}`);
        }
      }
    }
  }
}
