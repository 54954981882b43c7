/**
 * Tells others how far long work has got, while it goes on. It is only information: it never fails the work, and never
 * keeps it waiting but for its end. At most one word is on its way at a time, and not more often than people can read.
 */
import type { Clock } from "../util/clock.js";
import { cleanLine } from "../util/text.js";
import type { NewWork, WorkStore } from "./work.js";

const PACE_MS = 500;

export interface ToldWork {
  /** `total` once it is known. */
  tell(done: number, total?: number): void;
  /** Waits until others can know it. */
  end(outcome: string): Promise<void>;
}

export interface ToldWorkSetting {
  readonly work: WorkStore;
  /** The process that does it. */
  readonly holder: string;
  readonly clock: Clock;
}

export async function toldWork({ work, holder, clock }: ToldWorkSetting, begun: NewWork): Promise<ToldWork> {
  const id = await work.begin(begun, holder, clock()).catch(() => null); // Nobody sees it then; it is done all the same.
  if (id === null) return UNTOLD;
  let onItsWay: Promise<void> | null = null;
  let last = clock();
  return {
    tell: (done, total) => {
      const now = clock();
      if (onItsWay || now - last < PACE_MS) return;
      last = now;
      onItsWay = work
        .tell(id, { done, total: total ?? begun.total }, now)
        .catch(() => {}) // The next word tells more.
        .finally(() => {
          onItsWay = null;
        });
    },
    end: async (outcome) => {
      await onItsWay;
      await work.end(id, cleanLine(outcome), clock()).catch(() => {}); // It is shown as cut off then.
    },
  };
}

/** Does it, and says how it ended. */
export async function whileTold<Result>(
  told: Promise<ToldWork>,
  doing: (told: ToldWork) => Promise<Result>,
  outcomeOf: (result: Result) => string,
): Promise<Result> {
  const here = await told;
  let outcome = "stopped";
  try {
    const result = await doing(here);
    outcome = outcomeOf(result);
    return result;
  } catch (error) {
    outcome = `failed: ${error instanceof Error ? error.message : String(error)}`;
    throw error;
  } finally {
    await here.end(outcome);
  }
}

/** Of work that nobody is told of. */
export const UNTOLD: ToldWork = { tell: () => {}, end: async () => {} };
