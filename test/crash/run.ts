/** npm run crash -- --kills 2000: the storm of crash.test.ts for as long as one likes. */
import { parseArgs } from "node:util";
import { storm } from "./storm.js";

const { values } = parseArgs({
  options: { kills: { type: "string", default: "2000" }, seed: { type: "string" } },
});
const kills = Number(values.kills);
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31));
if (!Number.isInteger(kills) || kills < 1 || !Number.isInteger(seed)) {
  console.error("Usage: npm run crash -- [--kills <number>] [--seed <number>]");
  process.exit(2);
}

const began = Date.now();
console.log(`seed ${seed}`);
const tally = await storm(kills, seed, (sofar) => console.log(`${sofar.kills} of ${kills} kills`));
console.table({
  kills: tally.kills,
  "after at least one call": tally.afterWork,
  "in the middle of a call": tally.midCall,
  "of these, committed": tally.committed,
  "calls acknowledged and found": tally.callsDone,
  seconds: Math.round((Date.now() - began) / 1_000),
});
console.log("Nothing lost, nothing torn.");
