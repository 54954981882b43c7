/** The example of a bot that keeps its conversations with Baton, over a file that a second process opens. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseSource } from "baton-gateway";
import { afterEach, expect, it } from "vitest";
import { type Ask, answer, openMemory, recall } from "../../examples/session-memory.js";

const ann = parseSource({ platform: "slack", chat_id: "D1", user_id: "U1", user_name: "Ann" });
const bob = parseSource({ platform: "slack", chat_id: "D2", user_id: "U2", user_name: "Bob" });
const DAY = 24 * 60 * 60_000;
const folder = mkdtempSync(join(tmpdir(), "baton-memory-"));
afterEach(() => rmSync(folder, { recursive: true }));

it("remembers a person's words after a restart, starts fresh after a day, and shows them to nobody else", async () => {
  let now = Date.UTC(2026, 2, 10);
  const seen: { prompt: string; words: string[] }[] = [];
  const ask: Ask = async (prompt, history) => {
    seen.push({ prompt, words: history.map(({ content }) => content) });
    return { text: `I know ${history.length}.`, usage: { inputTokens: 1, outputTokens: 3 } };
  };
  const open = () => openMemory(join(folder, "memory.db"), () => now);

  let sessions = await open();
  expect(await answer(sessions, ann, "My cat is called Minka", ask)).toBe("I know 1.");
  await sessions.close();

  sessions = await open();
  expect(await answer(sessions, ann, "What is my cat called?", ask)).toBe("I know 3.");
  expect(seen.at(-1)?.words).toEqual(["My cat is called Minka", "I know 1.", "What is my cat called?"]);
  expect(seen.at(-1)?.prompt).toContain("Slack");
  expect(await recall(sessions, ann, "Minka")).toEqual([expect.stringContaining("Minka")]);
  expect(await recall(sessions, bob, "Minka")).toEqual([]);

  now += DAY + 1;
  expect(await answer(sessions, ann, "Good morning", ask)).toBe("(This is a fresh conversation.)\nI know 1.");
  expect(await recall(sessions, ann, "Minka")).toHaveLength(1);
  await sessions.close();
});
