/** `baton cron list`: the scheduled jobs of everybody, and if they are late. */
import { deliverWords, doneWords, jobsWarning, whenWords } from "../../gateway/jobs/describe.js";
import type { Job } from "../../schedule/job.js";
import { nextRuns } from "../../schedule/schedule.js";
import type { ShownRun } from "../../schedule/store.js";
import { relativeTime } from "../../util/words.js";
import { type Cli, withJobs } from "../cli.js";
import type { JsonOption } from "../options.js";
import { type Column, printTable } from "../table.js";
import { jobFacts, runFacts, schedulerFacts } from "./facts.js";

interface JobListOptions extends JsonOption {
  readonly all?: boolean;
}

interface JobRow {
  readonly job: Job;
  readonly last: ShownRun | null;
}

export function listJobs(cli: Cli, { all, json }: JobListOptions): Promise<void> {
  const { terminal } = cli;
  return withJobs(cli, "look", async ({ desk }, { outputDir }) => {
    const jobs = await desk.list(null);
    const shown = all ? jobs : jobs.filter(({ state }) => state !== "done");
    const rows: JobRow[] = [];
    for (const job of shown) rows.push({ job, last: (await desk.runs(job, 1))[0] ?? null });
    const now = Date.now();
    const scheduler = await desk.scheduler();
    const warning = jobsWarning(jobs, scheduler, now);
    if (json)
      return terminal.json({
        jobs: rows.map(({ job, last }) => ({
          ...jobFacts(job, job.state === "active" ? nextRuns(job.timing, now, 1) : []),
          lastRun: last && runFacts(last, outputDir),
        })),
        scheduler: schedulerFacts(scheduler, warning),
      });
    if (rows.length === 0)
      terminal.line(
        'There are no scheduled jobs. Make one: baton cron add "every weekday at 9" "send me a digest"',
      );
    else await printTable(terminal, columnsAt(now), rows);
    const done = jobs.length - shown.length;
    if (done > 0) terminal.line(doneWords(done, "run `baton cron list --all`"));
    if (warning !== null) terminal.problem(warning);
  });
}

function columnsAt(now: number): readonly Column<JobRow>[] {
  return [
    { title: "JOB", cell: ({ job }) => job.id },
    { title: "NAME", cell: ({ job }) => job.name, flexible: true },
    { title: "WHEN", cell: ({ job }) => whenWords(job), flexible: true },
    { title: "NEXT", cell: ({ job }) => nextWord(job, now) },
    { title: "DELIVER", cell: ({ job }) => deliverWords(job, job.origin.source), flexible: true },
    { title: "LAST RUN", cell: ({ last }) => lastWords(last, now), flexible: true },
    { title: "WHO", cell: ({ job }) => job.owner, flexible: true },
  ];
}

/** When it runs next, or why it does not. */
function nextWord({ state, wakeAt }: Job, now: number): string {
  if (state !== "active" || wakeAt === null) return state;
  return wakeAt <= now ? `due ${relativeTime(wakeAt, now)}` : relativeTime(wakeAt, now);
}

function lastWords(last: ShownRun | null, now: number): string {
  return last === null
    ? ""
    : `${last.state} ${relativeTime(last.endedAt ?? last.startedAt ?? last.madeAt, now)}`;
}
