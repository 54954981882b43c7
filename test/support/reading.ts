/** A person has read the question that can be seen: until then, a key is taken for one that was typed ahead. */
import { expect } from "vitest";

/** Longer than the terminal thinks that reading takes (`src/adapter/terminal/open-questions.ts`). */
const READ_MS = 600;

export async function reading(): Promise<void> {
  const since = Date.now();
  await expect.poll(() => Date.now() - since, { timeout: 30_000 }).toBeGreaterThan(READ_MS);
}
