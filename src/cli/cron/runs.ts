/** `baton cron runs`: what a job does, and what became of its last runs, newest first. */
import {
  resultWords,
  runState,
  runTime,
  settingLines,
  stateWords,
  whenWords,
  workWords,
} from "../../gateway/jobs/describe.js";
import { jobName } from "../../gateway/jobs/words.js";
import type { Job } from "../../schedule/job.js";
import { nextRuns } from "../../schedule/schedule.js";
import type { ShownRun } from "../../schedule/store.js";
import { cleanLine } from "../../util/text.js";
import { counted, durationWords } from "../../util/words.js";
import { type Cli, withJobs } from "../cli.js";
import type { JsonOption } from "../options.js";
import { jobFacts, outputFile, runFacts } from "./facts.js";

interface RunsOptions extends JsonOption {
  readonly limit: number;
}

export function jobRuns(cli: Cli, which: string, { limit, json }: RunsOptions): Promise<void> {
  const { terminal } = cli;
  return withJobs(cli, "look", async ({ desk }, { outputDir }) => {
    const job = await desk.find(null, which);
    const runs = await desk.runs(job, limit);
    const now = Date.now();
    if (json)
      return terminal.json({
        job: jobFacts(job, job.state === "active" ? nextRuns(job.timing, now, 1) : []),
        runs: runs.map((run) => runFacts(run, outputDir)),
      });
    terminal.line(`${jobName(job)}: ${whenWords(job)}; ${stateWords(job, now)}.`);
    terminal.row(`What it does: ${workWords(job)}`);
    for (const line of settingLines(job, job.origin.source)) terminal.line(line);
    terminal.line();
    if (runs.length === 0) terminal.line("It has not run yet.");
    for (const run of runs) for (const line of runLines(run, job, outputDir)) terminal.row(line);
  });
}

function runLines(run: ShownRun, job: Job, outputDir: string): string[] {
  const { tokens, startedAt, endedAt, sessionId, results } = run;
  const facts = [
    ...(startedAt === null || endedAt === null ? [] : [`took ${durationWords(endedAt - startedAt)}`]),
    ...(tokens === 0 ? [] : [counted(tokens, "token")]),
    ...(sessionId === null ? [] : [`session ${cleanLine(sessionId)}`]),
  ];
  const output = outputFile(run, outputDir);
  return [
    `${runTime(run, job)}: ${runState(run)}`,
    ...(facts.length === 0 ? [] : [`  ${facts.join(", ")}`]),
    ...results.map((result) => {
      const to =
        result.address === null || result.address === result.target ? "" : ` (${cleanLine(result.address)})`;
      return `  ${resultWords(result)}${to}`;
    }),
    ...(output === null ? [] : [`  ${output}`]),
  ];
}
