/**
 * A gateway's process inside this one, which can end at any moment as if it were killed: whatever it had called never
 * comes back, and nothing that it calls afterwards takes place. What the store was doing in that moment is done or not,
 * as with a real kill.
 */
import type { GatewayStore } from "../../src/gateway/store.js";
import type { HandoffStep } from "../../src/session/handoff.js";
import { endedHolder } from "../support/ended-holder.js";

export type Side = "before" | "after";

/** What a process was about to do or has just done. */
export interface Reached {
  readonly step: string;
  readonly side: Side;
  readonly args: readonly unknown[];
  readonly result?: unknown;
}

/** Those that have ended. The tests put this in the place of the system's table of processes. */
const ended = new Set<string>();

export function hasNotEnded(holder: string): boolean {
  return holder !== "" && !ended.has(holder);
}

export class Mortal {
  readonly holder = endedHolder();
  readonly #onReached: (reached: Reached, mortal: Mortal) => Promise<void>;
  /** Settles when it dies. */
  readonly death: Promise<void>;
  #die: () => void = () => {};
  #stalled: Promise<void> = Promise.resolve();
  #unwatch: () => void = () => {};

  constructor(onReached: (reached: Reached, mortal: Mortal) => Promise<void>) {
    this.#onReached = onReached;
    this.death = new Promise((resolve) => {
      this.#die = resolve;
    });
  }

  get isDead(): boolean {
    return ended.has(this.holder);
  }

  die(): void {
    ended.add(this.holder);
    this.#unwatch();
    this.#die();
  }

  /** As if it were stopped: whatever it does next, it does when it is let go on. */
  stall(): () => void {
    let goOn: () => void = () => {};
    this.#stalled = new Promise((resolve) => {
      goOn = resolve;
    });
    return goOn;
  }

  /** The same object, as long as the process lives; its steps are called `name.method`, those of a handoff by their kind. */
  wrap<Part extends object>(name: string, part: Part): Part {
    const read = (_: Part, property: string | symbol): unknown => {
      const value = Reflect.get(part, property, part) as unknown;
      if (typeof value !== "function") return value;
      return (...args: unknown[]) =>
        this.#live(stepName(`${name}.${String(property)}`, args), args, () =>
          Reflect.apply(value, part, args),
        );
    };
    return new Proxy(part, { get: read });
  }

  watched(subscribe: GatewayStore["subscribe"]): GatewayStore["subscribe"] {
    return (subscriber) => {
      this.#unwatch = subscribe(subscriber);
      return this.#unwatch;
    };
  }

  async #live(step: string, args: readonly unknown[], call: () => unknown): Promise<unknown> {
    await this.#reach({ step, side: "before", args });
    try {
      const result = await call();
      await this.#reach({ step, side: "after", args, result });
      return result;
    } catch (error) {
      return this.isDead ? never() : Promise.reject(error);
    }
  }

  async #reach(reached: Reached): Promise<void> {
    if (this.isDead) return never();
    await this.#onReached(reached, this);
    await this.#stalled;
    if (this.isDead) return never();
  }
}

/** A step of a handoff is called by its kind. */
function stepName(call: string, [, step]: readonly unknown[]): string {
  return call === "handoffs.step" ? `${call} ${(step as HandoffStep).kind}` : call;
}

function never(): Promise<never> {
  return new Promise(() => {});
}
