import { expect, it } from "vitest";
import { newProcessId } from "../session/ids.js";
import { Waiters } from "./waiters.js";

const LONG_MS = 3_600_000;
const id = newProcessId();
const { signal } = new AbortController();

it("tells those who wait for a process, and nobody else", async () => {
  const waiters = new Waiters();
  const [one, same, other] = [id, id, newProcessId()].map((each) => waiters.next(each, LONG_MS, signal));
  const told: string[] = [];
  void one?.come.then(() => told.push("one"));
  void same?.come.then(() => told.push("same"));
  void other?.come.then(() => told.push("other"));
  same?.forget();
  waiters.tell(id);
  await one?.come;
  expect(told).toEqual(["one"]);
  waiters.tellAll();
  await other?.come;
  expect(told).toEqual(["one", "other"]);
  for (const each of [one, other]) each?.forget();
});

it("wakes when the time is up or the signal aborts, also if that was before", async () => {
  const waiters = new Waiters();
  const leaving = new AbortController();
  const left = waiters.next(id, LONG_MS, leaving.signal);
  leaving.abort();
  for (const news of [left, waiters.next(id, LONG_MS, leaving.signal), waiters.next(id, -1, signal)]) {
    await news.come;
    news.forget();
  }
});
