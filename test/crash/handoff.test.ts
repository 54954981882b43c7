import { expect, test } from "vitest";
import { stormHandoffs } from "./handoff-storm.js";

const KILLS = 24;

test("two gateways that are killed around the steps of handoffs lose nothing, and say nothing that is not so", async () => {
  const seed = Math.floor(Math.random() * 2 ** 31);
  console.log(`handoffs: seed ${seed}`);
  const tally = await stormHandoffs(KILLS, seed, () => {});
  console.log(tally);
  expect(tally.kills).toBe(KILLS);
  // Kills that hit nothing would prove nothing.
  expect(tally.atPoints).toBeGreaterThan(KILLS / 4);
  expect(tally.completed).toBeGreaterThan(KILLS / 4);
}, 1_200_000);
