/**
 * npm run crash -- --kills 2000: the storms of crash.test.ts, journey.test.ts, handoff.test.ts and command.test.ts for as long as one likes,
 * and the table of the points at which the journey was cut.
 */
import { parseArgs } from "node:util";
import { stormCommand } from "./command-storm.js";
import { stormHandoffs } from "./handoff-storm.js";
import { killAtPoints } from "./journey-points.js";
import { stormJourney } from "./journey-storm.js";
import { storm } from "./storm.js";

const { values } = parseArgs({
  options: {
    kills: { type: "string", default: "2000" },
    times: { type: "string", default: "5" },
    seed: { type: "string" },
    store: { type: "boolean", default: false },
    journey: { type: "boolean", default: false },
    handoff: { type: "boolean", default: false },
    command: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});
const [kills, times] = [Number(values.kills), Number(values.times)];
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31));
if (
  values.help ||
  ![kills, times].every((count) => Number.isInteger(count) && count >= 1) ||
  !Number.isInteger(seed)
) {
  console.error(
    "Usage: npm run crash -- [--store | --journey | --handoff | --command] [--kills <number>] [--times <at each point>] [--seed <number>]",
  );
  process.exit(values.help ? 0 : 2);
}

const began = Date.now();
const seconds = () => Math.round((Date.now() - began) / 1_000);
const isAll = !(values.store || values.journey || values.handoff || values.command);
console.log(`seed ${seed}`);
if (isAll || values.store) {
  const tally = await storm(kills, seed, (sofar) =>
    console.log(`${sofar.kills} of ${kills} kills of a store`),
  );
  console.table({
    kills: tally.kills,
    "after at least one call": tally.afterWork,
    "in the middle of a call": tally.midCall,
    "of these, committed": tally.committed,
    "calls acknowledged and found": tally.callsDone,
    seconds: seconds(),
  });
  console.log("Nothing lost, nothing torn.");
}
if (isAll || values.journey) {
  console.log("The journey of a message, cut at each of its points:");
  console.table(await killAtPoints(times, seed));
  const tally = await stormJourney(kills, seed, (sofar) =>
    console.log(`${sofar} of ${kills} kills under load`),
  );
  console.table({
    kills: tally.kills,
    "while it was starting": tally.whileStarting,
    "with messages not acknowledged": tally.unacknowledged,
    "messages accepted": tally.messages,
    "of these, answered once": tally.answered,
    "interrupted, as asked": tally.interrupted,
    "given up after kills, with a notice": tally.parked,
    "failed with the store, with a notice": tally.failed,
    "commands carried out or explained": tally.commands,
    "delivered twice by the platform": tally.redelivered,
    "sent once": tally.sent,
    "unknown, and not sent again": tally.unknown,
    "told that something may be missing": tally.doubts,
    "beginnings that were left": tally.beginnings,
    seconds: seconds(),
  });
  console.log("Nothing lost, nothing said twice, everything in order.");
}
if (isAll || values.handoff) {
  const tally = await stormHandoffs(kills, seed, (sofar) =>
    console.log(`${sofar} of ${kills} kills of gateways between which conversations move`),
  );
  console.table({
    kills: tally.kills,
    "around the step that was meant": tally.atPoints,
    "messages accepted": tally.messages,
    "given up after kills, with a notice": tally.parked,
    handoffs: tally.handoffs,
    "of these, completed": tally.completed,
    "failed, and told so": tally.failed,
    "of these, with a thread in doubt": tally.inDoubt,
    "refused, as one was under way": tally.refused,
    "sent once or never, and not known": tally.unknown,
    seconds: seconds(),
  });
  console.log("Every conversation in one place, every outcome told, nothing lost.");
}
if (isAll || values.command) {
  const tally = await stormCommand(kills, seed);
  console.table({
    "kills of `baton gateway`": tally.kills,
    "in the middle of something": tally.midway,
    "messages accepted": tally.messages,
    "of these, answered whole and in order": tally.answered,
    "told that something may be missing": tally.unknown,
    "given up after kills, with a notice": tally.givenUp,
    "beginnings that were left": tally.beginnings,
    "edits and drafts of what streamed": tally.streamed,
    seconds: seconds(),
  });
  console.log("Everybody was answered once, or told.");
}
