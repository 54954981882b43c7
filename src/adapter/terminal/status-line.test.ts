import { expect, test } from "vitest";
import { EMPTY_DRAFT } from "./editor.js";
import { type Foot, footFrame } from "./prompt.js";
import { painter } from "./style.js";

const FOOT = {
  ...{ draft: EMPTY_DRAFT, hints: [], status: {}, turn: null },
  ...{ retry: null, isRunning: false, areOthersAtWork: false, question: null, notice: null },
};
const below = (foot: Partial<Foot>, width: number): string[] =>
  footFrame({ ...FOOT, ...foot }, width, 10)
    .rows.slice(1)
    .map(painter(false));

test("a long title leaves room for the model and what it used; a short one stays whole", () => {
  const line = (title: string, width: number) =>
    below({ status: { title, agent: "model-a", tokens: 48_000, cost: 0.12 } }, width)[0];
  expect(line("Garden", 60)).toBe("Garden · model-a · 48k tokens · $0.12");
  expect(line("A very long title about the whole garden", 50)).toBe(
    "A very long title … · model-a · 48k tokens · $0.12",
  );
  expect(line("A very long title about the whole garden", 43)).toBe(
    "A very long… · model-a · 48k tokens · $0.12",
  );
});

test("what a turn used is worth more than a title for which there is no room", () => {
  const status = { title: "Garden plans for May", agent: "model-a", tokens: 48_000, cost: 0.12 };
  expect(below({ status }, 40)).toEqual(["model-a · 48k tokens · $0.12"]);
  expect(below({ status: { title: "Garden plans for May" } }, 14)).toEqual(["Garden plans …"]);
});

test("a countdown is shown whole, also where the line is narrow", () => {
  const retry = "api.example.com is rate-limiting you (429): trying again in 4 s (2 of 4)";
  expect(below({ retry }, 40)).toEqual([
    "api.example.com is rate-limiting you",
    "(429): trying again in 4 s (2 of 4)",
  ]);
});

test("that another terminal is working is said where nothing of one's own goes on", () => {
  const areOthersAtWork = true;
  expect(below({ areOthersAtWork }, 60)).toEqual(["another terminal is working"]);
  expect(below({ areOthersAtWork, isRunning: true }, 60)).toEqual(["working, Ctrl-C stops"]);
});
