import { expect, test } from "vitest";
import { EMPTY_DRAFT } from "./editor.js";
import { footFrame } from "./prompt.js";
import { painter } from "./style.js";

test("a long title leaves room for the model and what it used; a short one stays whole", () => {
  const line = (title: string, width: number) => {
    const status = { title, agent: "model-a", tokens: 48_000, cost: 0.12 };
    const foot = {
      draft: EMPTY_DRAFT,
      hints: [],
      status,
      turn: null,
      retry: null,
      isRunning: false,
      question: null,
      notice: null,
    };
    return painter(false)(footFrame(foot, width, 10).rows.at(-1) ?? []);
  };
  expect(line("Garden", 60)).toBe("Garden · model-a · 48k tokens · $0.12");
  expect(line("A very long title about the whole garden", 50)).toBe(
    "A very long title … · model-a · 48k tokens · $0.12",
  );
  expect(line("A very long title about the whole garden", 30)).toBe("A very long… · model-a · 48k …");
});
