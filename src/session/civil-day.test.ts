import { expect, it } from "vitest";
import { civilDay, withDays } from "./civil-day.js";
import type { Message } from "./transcript.js";

const ZONE = "Europe/Berlin";
const at = (text: string): number => Date.parse(text);
const user = (content: string): Message => ({ role: "user", content });
const assistant = (content: string): Message => ({ role: "assistant", content });

it("is the day of the zone, until midnight there, also when clocks change", () => {
  const day = civilDay(at("2026-11-17T23:30:00Z"), ZONE);
  expect(day.name).toBe("Wednesday, 18 November 2026");
  expect(new Date(day.until).toISOString()).toBe("2026-11-18T23:00:00.000Z");
  const autumn = civilDay(at("2026-10-24T22:30:00Z"), ZONE);
  expect(autumn.name).toBe("Sunday, 25 October 2026");
  expect(new Date(autumn.until).toISOString()).toBe("2026-10-25T23:00:00.000Z");
});

it("the first message of each later day says so, and nothing else changes", () => {
  const began = at("2026-11-18T09:00:00Z");
  const history = [user("summary"), user("a"), assistant("b"), user("c"), user("d"), user("e")];
  const times = [
    at("2026-11-18T10:00:00Z"),
    at("2026-11-18T23:10:00Z"),
    at("2026-11-19T08:00:00Z"),
    at("2026-11-21T08:00:00Z"),
  ];
  const marked = withDays(history, times, began, ZONE);
  expect(marked).toEqual([
    user("summary"),
    user("a"),
    assistant("b"),
    { ...user("c"), today: "Thursday, 19 November 2026" },
    user("d"),
    { ...user("e"), today: "Saturday, 21 November 2026" },
  ]);
  // What was sent before stays as it was.
  const earlier = withDays(history.slice(0, 5), times.slice(0, 3), began, ZONE);
  expect(marked.slice(0, 5)).toEqual(earlier);
  expect(withDays(history.slice(0, 3), times.slice(0, 1), began, ZONE)).toEqual(history.slice(0, 3));
});

it("a clock that goes back begins no day", () => {
  const [first] = withDays([user("a")], [0], at("2026-11-18T09:00:00Z"), ZONE);
  expect(first).toEqual(user("a"));
});

it("a window that begins on a later day says which day it is", () => {
  const history = [user("c"), assistant("d")];
  const [first] = withDays(history, [at("2026-11-20T08:00:00Z")], at("2026-11-18T09:00:00Z"), ZONE);
  expect(first).toEqual({ ...user("c"), today: "Friday, 20 November 2026" });
});
