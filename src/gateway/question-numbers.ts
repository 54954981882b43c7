/**
 * The numbers of questions: small, so that people can say them, and not given again soon, also not by the next process: a
 * late answer must not match another question. An account counts them up, and begins again at 1 after a quiet hour.
 */
import type { Clock } from "../util/clock.js";
import { parseJson } from "../util/json.js";
import type { Account, Accounts } from "./store.js";

interface LastNumber {
  readonly number: number;
  readonly at: number;
}

const NAME = "questions.last";
/** No question is open that long. */
const QUIET_MS = 3_600_000;
/** So that they stay short; larger ones only while all of these are in use. */
const HIGHEST = 99;

export function numberAfter(last: LastNumber | null, used: ReadonlySet<number>, now: number): number {
  const isRecent = last !== null && now - last.at < QUIET_MS;
  let number = isRecent && last.number < HIGHEST ? last.number + 1 : 1;
  while (used.has(number)) number += 1;
  return number;
}

export class QuestionNumbers {
  readonly #accounts: Pick<Accounts, "read" | "write">;
  readonly #clock: Clock;
  #before: Promise<unknown> = Promise.resolve();

  constructor(accounts: Pick<Accounts, "read" | "write">, clock: Clock) {
    this.#accounts = accounts;
    this.#clock = clock;
  }

  /** One after the other. `used` is asked when it is its turn. */
  next(account: Account, used: () => ReadonlySet<number>): Promise<number> {
    const next = this.#before.then(() => this.#next(account, used));
    this.#before = next.catch(() => {}); // The caller gets the error.
    return next;
  }

  async #next(account: Account, used: () => ReadonlySet<number>): Promise<number> {
    const last = lastIn(await this.#accounts.read(account, NAME));
    const now = this.#clock();
    const number = numberAfter(last, used(), now);
    await this.#accounts.write(account, NAME, JSON.stringify({ number, at: now } satisfies LastNumber));
    return number;
  }
}

function lastIn(value: string | null): LastNumber | null {
  const { number, at } = (value === null ? {} : parseJson(value)) as Partial<LastNumber>;
  return typeof number === "number" && typeof at === "number" ? { number, at } : null;
}
