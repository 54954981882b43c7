// Swaps a folder for a link to another and back, and a file for a link likewise, as fast as it can, until it is killed.
// folder-racer.mjs <folder> <outside folder> <file> <outside file>
import { renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";

const [folder, outside, file, outsideFile] = process.argv.slice(2);

/** The other side works in there, too: what is in the way goes. */
function insisting(act, inTheWay) {
  for (;;) {
    try {
      return act();
    } catch {
      rmSync(inTheWay, { recursive: true, force: true });
    }
  }
}

function swap(place, target) {
  const kept = `${place}.kept`;
  insisting(() => renameSync(place, kept), kept);
  insisting(() => symlinkSync(target, place), place);
  rmSync(place, { recursive: true, force: true });
  insisting(() => renameSync(kept, place), place);
}

process.stdout.write("ready\n");
for (let round = 1; ; round++) {
  insisting(() => writeFileSync(`${folder}/secret`, "inside\n"), `${folder}/secret`);
  insisting(() => writeFileSync(file, "inside\n"), file);
  swap(folder, outside);
  swap(file, outsideFile);
  if (round % 100 === 0) process.stdout.write(`${round}\n`);
}
