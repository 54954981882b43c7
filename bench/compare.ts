/**
 * This version beside another checkout: each case runs in both by turns, several times, so that whatever else the machine
 * does hits both. What counts is the ratio of the medians.
 */
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { median } from "./measure.js";
import { figure, type Outcome, printTable, type Unit } from "./report.js";

const HERE = fileURLToPath(new URL("..", import.meta.url));

export interface Comparison {
  readonly there: string;
  readonly cases: readonly string[];
  readonly rounds: number;
  /** Options for both. */
  readonly options: readonly string[];
}

interface Figures {
  readonly unit: Unit;
  readonly here: number[];
  readonly there: number[];
}

export async function compare({ there, cases, rounds, options }: Comparison): Promise<void> {
  const sides = [
    { folder: there, side: "there" },
    { folder: HERE, side: "here" },
  ] as const;
  for (const { folder } of sides) await promisify(execFile)("npm", ["run", "build"], { cwd: folder });
  for (const name of cases) {
    const found = new Map<string, Figures>();
    for (let round = 0; round < rounds; round++) {
      for (const { folder, side } of round % 2 === 0 ? sides : sides.toReversed()) {
        for (const { what, value, unit } of await measure(folder, name, options)) {
          const figures = found.get(what) ?? { unit, here: [], there: [] };
          figures[side].push(value);
          found.set(what, figures);
        }
      }
    }
    printTable([name, "there", "here", "here/there"], [...found].map(rowOf));
  }
}

function rowOf([what, { unit, here, there }]: [string, Figures]): string[] {
  const [now, before] = [median(here), median(there)];
  const ratio = before === 0 ? "" : figure(now / before, "×");
  return [what, figure(before, unit), figure(now, unit), ratio];
}

async function measure(folder: string, name: string, options: readonly string[]) {
  const args = ["--no", "tsx", "bench/run.ts", "--json", "--only", name, ...options];
  const { stdout } = await promisify(execFile)("npx", args, { cwd: folder });
  const { lines, targets } = JSON.parse(stdout) as Outcome;
  const known = new Set(lines.map(({ what }) => what));
  return [
    ...lines.map(({ what, ours, unit }) => ({ what, value: ours, unit })),
    ...targets.filter(({ what }) => !known.has(what)).map(({ what, value, unit }) => ({ what, value, unit })),
  ];
}
