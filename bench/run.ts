/** npm run bench: measures the store and the gateway against the bare driver and their targets. See --help. */
import { mkdtemp, rm } from "node:fs/promises";
import { cpus, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { gateway } from "./cases/gateway.js";
import { handoff } from "./cases/handoff.js";
import { history } from "./cases/history.js";
import { hostile } from "./cases/hostile.js";
import { jobs } from "./cases/jobs.js";
import { list } from "./cases/list.js";
import { long } from "./cases/long.js";
import { memory } from "./cases/memory.js";
import { model } from "./cases/model.js";
import { open } from "./cases/open.js";
import { postgres } from "./cases/postgres.js";
import { processes } from "./cases/processes.js";
import { search } from "./cases/search.js";
import { splitting } from "./cases/split.js";
import { start } from "./cases/start.js";
import { turn } from "./cases/turn.js";
import { web } from "./cases/web.js";
import { compare } from "./compare.js";
import { jsonOf, type Outcome, printOutcome } from "./report.js";
import { Stores } from "./stores.js";

/** What a case works with. */
export interface Bench {
  /** For files of its own. */
  readonly folder: string;
  readonly stores: Stores;
  readonly sizes: typeof FULL;
  readonly rounds: number;
}

const CASES: Readonly<Record<string, (bench: Bench) => Promise<Outcome>>> = {
  turn,
  postgres,
  history,
  list,
  search,
  open,
  start,
  memory,
  long,
  gateway,
  handoff,
  model,
  split: splitting,
  hostile,
  processes,
  jobs,
  web,
};

const FULL = {
  /** How many sessions are there already; how many turns a round. */
  turn: [10, 10_000, 50_000],
  turns: 200,
  /** How long each number of processes makes turns. */
  postgresSeconds: 10,
  /** Lengths of transcripts; 1000 is the one to compare with. */
  history: [100, 1_000, 10_000, 100_000],
  list: [100, 10_000, 50_000],
  /** How many reads a round. */
  reads: 40,
  /** Sessions, of twenty messages each; how long chats are answered beside searches. */
  search: 50_000,
  searchSeconds: 20,
  open: [10, 50_000],
  opens: 30,
  starts: 15,
  memory: 50_000,
  /** One at a time; then how long all chats at once. */
  gatewayMessages: 500,
  gatewaySeconds: 60,
  /** One at a time; then how long a gateway is watched that has nothing to do. */
  handoffs: 200,
  handoffIdleMs: 20_000,
  /** Whole runs a round; then how many first words. */
  modelRuns: 4,
  modelWords: 200,
  /** How many long answers a round. */
  splits: 20,
  /** How many hostile answers, and messages, on each platform. */
  hostile: 20_000,
  /** How many processes a round. */
  spawns: 30,
  /** How many jobs are there already; how many are added a round. */
  jobs: [100, 10_000, 100_000],
  jobAdds: 200,
  /** How many are due at once, or not; how long a gateway is watched whose jobs are not due. */
  jobsDue: 10_000,
  jobsIdleMs: 60_000,
  /** Turns of one conversation; sessions, and how many of them expire. */
  longTurns: 5_000,
  expiry: 50_000,
  expired: 500,
  /** Open pages; how long they are watched while nobody says anything; how many messages then. */
  browsers: 1_000,
  browsersIdleMs: 20_000,
  browserMessages: 100,
};

const QUICK: typeof FULL = {
  turn: [10, 500, 2_000],
  turns: 40,
  postgresSeconds: 3,
  history: [100, 1_000, 5_000],
  list: [100, 500, 2_000],
  reads: 10,
  search: 2_000,
  searchSeconds: 3,
  open: [10, 2_000],
  opens: 8,
  starts: 5,
  memory: 2_000,
  gatewayMessages: 100,
  gatewaySeconds: 5,
  handoffs: 30,
  handoffIdleMs: 5_000,
  modelRuns: 2,
  modelWords: 40,
  splits: 5,
  hostile: 200,
  spawns: 5,
  jobs: [100, 1_000, 5_000],
  jobAdds: 20,
  jobsDue: 300,
  jobsIdleMs: 5_000,
  longTurns: 400,
  expiry: 2_000,
  expired: 50,
  browsers: 50,
  browsersIdleMs: 3_000,
  browserMessages: 10,
};

const HELP = `Usage: npm run bench -- [options]

Measures the store and the gateway on a SQLite file (synchronous=FULL) against the bare driver and their targets.
A missed target is reported; the exit code is 0 unless something failed to run.

  --only <name>  one of ${Object.keys(CASES).join(", ")}; may be given several times
  --quick        small sizes, for a smoke test
  --dir <path>   the folder whose disk is measured (default: ${tmpdir()})
  --json         figures as JSON
  --against <folder>  compares with another checkout, which has its dependencies installed: both run by turns, and
                 ratios of medians are printed; --rounds <n> (default 5) says how often. Each runs its own bench/
  --help         this text`;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      only: { type: "string", multiple: true },
      quick: { type: "boolean", default: false },
      dir: { type: "string", default: tmpdir() },
      json: { type: "boolean", default: false },
      against: { type: "string" },
      rounds: { type: "string", default: "5" },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) return console.log(HELP);
  const names = values.only ?? Object.keys(CASES);
  const unknown = names.find((name) => !CASES[name]);
  if (unknown !== undefined) {
    console.error(`No benchmark is called ${unknown}.\n\n${HELP}`);
    process.exitCode = 2;
    return;
  }

  if (values.against !== undefined) {
    const options = [...(values.quick ? ["--quick"] : []), "--dir", resolve(values.dir)];
    const rounds = Number(values.rounds);
    return compare({ there: resolve(values.against), cases: names, rounds, options });
  }
  const folder = await mkdtemp(join(values.dir, "baton-bench-"));
  const say = values.json ? () => {} : console.log;
  const began = performance.now();
  try {
    const about = {
      node: process.version,
      cpu: cpus()[0]?.model ?? "",
      cores: cpus().length,
      dir: values.dir,
    };
    say(`Node ${about.node}, ${about.cores} × ${about.cpu}, files in ${about.dir}, synchronous=FULL`);
    const bench = {
      folder,
      stores: new Stores(folder),
      sizes: values.quick ? QUICK : FULL,
      rounds: values.quick ? 2 : 5,
    };
    const lines = [];
    const targets = [];
    for (const name of names) {
      say(`… ${name}`);
      const outcome = await CASES[name]?.(bench);
      lines.push(...(outcome?.lines ?? []));
      targets.push(...(outcome?.targets ?? []));
    }
    if (values.json) console.log(jsonOf({ lines, targets }, about));
    else printOutcome({ lines, targets });
    say(`\n${Math.round((performance.now() - began) / 1_000)} s in all.`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

await main();
