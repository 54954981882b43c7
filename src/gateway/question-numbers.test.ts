/** Small numbers that no late answer meets again. */
import { expect, it } from "vitest";
import { openDb } from "../open-sessions.js";
import { openSqlStore } from "../store/sql-store.js";
import { numberAfter, QuestionNumbers } from "./question-numbers.js";

const NONE: ReadonlySet<number> = new Set();
const HOUR = 3_600_000;

it("count up, and begin again after a quiet hour", () => {
  expect(numberAfter(null, NONE, 0)).toBe(1);
  expect(numberAfter({ number: 1, at: 0 }, NONE, HOUR - 1)).toBe(2);
  expect(numberAfter({ number: 7, at: 0 }, NONE, HOUR)).toBe(1);
  expect(numberAfter({ number: 7, at: HOUR }, NONE, 0)).toBe(8); // The clock was set back.
});

it("stay short, and are never those of open questions", () => {
  expect(numberAfter({ number: 99, at: 0 }, NONE, 1)).toBe(1);
  expect(numberAfter({ number: 99, at: 0 }, new Set([1, 2]), 1)).toBe(3);
  expect(numberAfter(null, new Set([1]), 0)).toBe(2);
  const all = new Set(Array.from({ length: 99 }, (_, n) => n + 1));
  expect(numberAfter({ number: 99, at: 0 }, all, 1)).toBe(100);
});

it("go on in the next process, and are given one by one", async () => {
  const store = await openSqlStore(await openDb("sqlite::memory:"), 0);
  const account = { platform: "telegram", account: "bot" };
  const first = new QuestionNumbers(store.accounts, () => 0);
  const given = await Promise.all([1, 2, 3].map(() => first.next(account, () => NONE)));
  expect(given).toEqual([1, 2, 3]);
  const second = new QuestionNumbers(store.accounts, () => 5);
  expect(await second.next(account, () => NONE)).toBe(4);
  expect(await second.next({ ...account, account: "other" }, () => NONE)).toBe(1);
  await store.close();
});

it("a store that fails once is asked again", async () => {
  let isDown = true;
  const read = async () => {
    if (isDown) throw new Error("The store does not answer.");
    return null;
  };
  const numbers = new QuestionNumbers({ read, write: async () => {} }, () => 0);
  await expect(numbers.next({ platform: "telegram", account: "bot" }, () => NONE)).rejects.toThrow();
  isDown = false;
  expect(await numbers.next({ platform: "telegram", account: "bot" }, () => NONE)).toBe(1);
});
