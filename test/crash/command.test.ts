import { expect, test } from "vitest";
import { stormCommand } from "./command-storm.js";

const KILLS = 10;

test("`baton gateway` with Telegram, killed ten times while it streams, answers everybody once, whole and in order", async () => {
  const seed = Math.floor(Math.random() * 2 ** 31);
  console.log(`command: seed ${seed}`);
  const tally = await stormCommand(KILLS, seed);
  console.log(tally);
  expect(tally.messages).toBe(3 * KILLS);
  expect(tally.midway).toBeGreaterThan(KILLS / 2); // Kills that hit nothing would prove nothing.
  expect(tally.edits).toBeGreaterThan(0); // It streamed.
  // In doubt is what was on its way at a kill; given up is next to nothing.
  expect(tally.unknown).toBeLessThan(2 * KILLS);
  expect(tally.givenUp).toBeLessThanOrEqual(tally.messages / 10);
}, 600_000);
