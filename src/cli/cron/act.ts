/** `baton cron pause`, `resume`, `run` and `remove`. */
import { unattendedWords } from "../../gateway/jobs/describe.js";
import { jobName } from "../../gateway/jobs/words.js";
import { type Cli, withJobs } from "../cli.js";
import type { JsonOption } from "../options.js";
import { say } from "./add.js";
import { jobFacts } from "./facts.js";

export function pauseJob(cli: Cli, which: string, { json }: JsonOption): Promise<void> {
  return withJobs(cli, "change", async ({ desk }) => {
    const job = await desk.find(null, which);
    await desk.pause(job);
    if (json) cli.terminal.json(jobFacts(await desk.find(null, job.id), []));
    else
      cli.terminal.line(
        `Paused the job ${jobName(job)}. To go on with it, run \`baton cron resume ${job.id}\`.`,
      );
  });
}

export function resumeJob(cli: Cli, which: string, options: JsonOption): Promise<void> {
  return withJobs(cli, "change", async (open) => {
    const job = await open.desk.find(null, which);
    await say(cli, open, "Resumed", await open.desk.resume(job), options);
  });
}

export function runJob(cli: Cli, which: string, { json }: JsonOption): Promise<void> {
  return withJobs(cli, "change", async ({ desk }) => {
    const job = await desk.find(null, which);
    const run = await desk.runNow(job);
    if (json) cli.terminal.json({ id: job.id, run });
    else
      cli.terminal.line(
        `The job ${jobName(job)} runs as soon as a gateway or a chat is open. Run \`baton cron runs ${job.id}\` to see its result.`,
      );
    const unattended = unattendedWords(await desk.scheduler(), Date.now());
    if (unattended !== null) cli.terminal.problem(unattended);
  });
}

export function removeJob(cli: Cli, which: string, { json }: JsonOption): Promise<void> {
  return withJobs(cli, "change", async ({ desk }) => {
    const job = await desk.find(null, which);
    await desk.remove(job);
    if (json) cli.terminal.json({ id: job.id, removed: true });
    else cli.terminal.line(`Removed the job ${jobName(job)}.`);
  });
}
