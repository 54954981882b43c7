import { expect, test } from "vitest";
import type { Message } from "../session/transcript.js";
import { firstGreeting, returnWords } from "./greeting.js";

const HOUR_MS = 3_600_000;

test("the first greeting says who answers, how to get a model, and three things to try", () => {
  const offline = firstGreeting(null);
  expect(offline).toContain("`baton setup`");
  expect(offline.match(/^- /gm)).toHaveLength(3);
  const online = firstGreeting("big`7b\u001b[2J");
  expect(online).toContain("The model `big'7b` answers");
  expect(online).not.toContain("baton setup");
  expect(online.match(/^- /gm)).toHaveLength(3);
});

test("on return: the title, how long ago, and the last words of both in a line each, as they were said", () => {
  const said: Message[] = [
    { role: "user", content: "first" },
    { role: "assistant", content: "Plant\n\n**roses** \u001b]0;x\u0007there." },
    { role: "user", content: `and then? ${"x".repeat(200)}` },
    { role: "user", content: "a process ended", note: true },
    { role: "assistant", content: " " },
  ];
  const entry = { title: "Garden\nplans", updatedAt: 0 };
  const [title, baton, you, ...more] = returnWords(entry, said, 3 * HOUR_MS).split("\n");
  expect(title).toBe("Garden plans, 3 h ago.");
  expect(you).toMatch(/^You: and then\? x+…$/);
  expect(you?.length).toBeLessThan(120);
  expect(baton).toBe("Baton: Plant **roses** there.");
  expect(more).toEqual([]);
  const answered: Message[] = [...said, { role: "assistant", content: "Then water them." }];
  expect(returnWords(entry, answered, 0)).toMatch(
    /^Garden plans, just now\.\nYou: .+\nBaton: Then water them\.$/,
  );
  expect(returnWords({ title: null, updatedAt: 0 }, [], 0)).toBe("Your last conversation, just now.");
});
