import { expect, test } from "vitest";
import { type InterruptAction, type Interrupted, interrupt, NOT_INTERRUPTED } from "./interrupt.js";

type Press = readonly [at: number, isRunning: boolean, isEmpty: boolean];

const pressed = (...presses: readonly Press[]): InterruptAction[] => {
  let state: Interrupted = NOT_INTERRUPTED;
  return presses.map(([at, isRunning, isEmpty]) => {
    const step = interrupt(state, { at, isRunning, isEmpty });
    state = step.state;
    return step.action;
  });
};

test("stops the turn, and leaves with the second one, also if the turn has not ended yet", () => {
  expect(pressed([0, true, true], [2_000, false, true])).toEqual(["stop", "leave"]);
  expect(pressed([0, true, true], [1, true, true])).toEqual(["stop", "leave"]);
  expect(pressed([0, true, true], [2_001, false, true], [9_000, false, true])).toEqual([
    ...["stop", "ask", "leave"],
  ]);
  expect(pressed([0, true, true], [-1, false, true])).toEqual(["stop", "ask"]); // The clock was set back.
});

test("clears the line, and asks on an empty one", () => {
  expect(pressed([0, false, false], [1, false, true], [2, false, true])).toEqual(["clear", "ask", "leave"]);
});

test("a second one never drops a draft", () => {
  expect(pressed([0, true, false], [1, true, false], [2, false, false])).toEqual(["stop", "stop", "ask"]);
  expect(pressed([0, true, false], [1, false, false], [2, false, false])).toEqual(["stop", "ask", "clear"]);
});
