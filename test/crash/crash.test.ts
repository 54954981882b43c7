import { expect, test } from "vitest";
import { storm } from "./storm.js";

const KILLS = 200;

test("200 kills at random moments lose nothing that was acknowledged and tear nothing", async () => {
  const seed = Math.floor(Math.random() * 2 ** 31);
  console.log(`crash seed ${seed}`);
  const tally = await storm(KILLS, seed, () => {});
  expect(tally.kills).toBeGreaterThanOrEqual(KILLS);
  // Kills that hit nothing would prove nothing.
  expect(tally.afterWork / tally.kills).toBeGreaterThan(0.7);
  expect(tally.midCall / tally.kills).toBeGreaterThan(0.5);
}, 1_200_000);
