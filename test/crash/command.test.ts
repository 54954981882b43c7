import { expect, test } from "vitest";
import { stormCommand } from "./command-storm.js";

const MIDWAY = 6;

test("`baton gateway` with Telegram, killed again and again while it streams, answers everybody once, whole and in order", async () => {
  const seed = Math.floor(Math.random() * 2 ** 31);
  console.log(`command: seed ${seed}`);
  const tally = await stormCommand(MIDWAY, seed);
  console.log(tally);
  expect(tally.messages).toBe(3 * tally.kills);
  expect(tally.streamed).toBeGreaterThan(0);
  // In doubt is what was on its way at a kill.
  expect(tally.unknown).toBeLessThan(2 * tally.kills);
  // Given up is what three kills hit, and a kill hits a turn of each of the three people at most.
  expect(tally.givenUp).toBeLessThanOrEqual(tally.kills);
}, 600_000);
