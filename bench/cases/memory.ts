/** Resident memory of a process of its own after opening a store and 200 turns: a full store beside an empty one. */
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { median } from "../measure.js";
import type { Outcome } from "../report.js";
import type { Bench } from "../run.js";

const CHILD = fileURLToPath(new URL("./memory-child.mjs", import.meta.url));
const TURNS = 200;
const CHILDREN = 3;

export async function memory({ stores, sizes }: Bench): Promise<Outcome> {
  const full: number[] = [];
  const empty: number[] = [];
  for (let child = 0; child < CHILDREN; child++) {
    full.push(await residentMegabytes(await stores.withSessions(sizes.memory), sizes.memory));
    empty.push(await residentMegabytes(await stores.withSessions(0), TURNS));
  }
  return {
    lines: [
      {
        what: `memory after ${TURNS} turns, ${sizes.memory} sessions`,
        ours: median(full),
        raw: null,
        unit: "MB",
      },
      { what: `memory after ${TURNS} turns, empty store`, ours: median(empty), raw: null, unit: "MB" },
    ],
    targets: [
      {
        what: `memory at ${sizes.memory} sessions, over an empty store`,
        value: median(full) - median(empty),
        atMost: 40,
        unit: "MB",
      },
    ],
  };
}

async function residentMegabytes(path: string, sessions: number): Promise<number> {
  const { stdout } = await promisify(execFile)(process.execPath, [
    CHILD,
    path,
    String(sessions),
    String(TURNS),
  ]);
  return Number(stdout) / 2 ** 20;
}
