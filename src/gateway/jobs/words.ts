/** What Baton says about jobs: to the agent, and to people. */
import type { Job, Run, RunResult } from "../../schedule/job.js";
import { zonedTime } from "../../schedule/words.js";
import { cleanLine, shorten } from "../../util/text.js";

const LONGEST_REASON = 300;

/** The answer of an agent that has nothing to say. */
const SILENT = "[SILENT]";

export function isSilent(said: string): boolean {
  return said.trim() === SILENT;
}

export function jobName({ name, id }: Pick<Job, "name" | "id">): string {
  return `"${cleanLine(name)}" (${id})`;
}

/** What the agent is asked in a run. It is not from a person who is here. */
export function runText(job: Job, { scheduledFor }: Pick<Run, "scheduledFor">): string {
  const { timeZone } = job.timing;
  const when =
    scheduledFor === null
      ? "somebody asked for it"
      : `due ${zonedTime(scheduledFor, timeZone)} (${timeZone})`;
  const note = `[note from Baton: this is the scheduled job ${jobName(job)}, ${when}. Nobody is here to answer questions. Your last message is delivered to: ${cleanLine(job.deliver)}. If there is nothing to say, answer ${SILENT} and nothing else.]`;
  return job.prompt === null ? note : `${note}\n${job.prompt}`;
}

export function failedText(job: Job, why: string): string {
  return `The scheduled job ${jobName(job)} failed: ${sentence(why)}`;
}

export function pausedText(job: Job, why: string): string {
  return `The scheduled job ${jobName(job)} is paused: ${sentence(why)} To go on with it, send /cron resume ${job.id}.`;
}

export function undeliveredText(
  job: Job,
  { output }: Pick<Run, "output">,
  results: readonly RunResult[],
): string {
  const where = results.map(
    ({ target, error }) => `${cleanLine(target)}: ${sentence(error ?? "unknown reason")}`,
  );
  const kept = output === null ? [] : [`It is kept in the file \`${output}\` of the output folder.`];
  return [`The result of the scheduled job ${jobName(job)} could not be sent.`, ...where, ...kept].join("\n");
}

function sentence(why: string): string {
  const line = shorten(cleanLine(why), LONGEST_REASON);
  return /[.!?…]$/.test(line) ? line : `${line}.`;
}
