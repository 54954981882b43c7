/** What Baton says about jobs: to the agent, and to people. */
import type { Job, Run, RunResult } from "../../schedule/job.js";
import { zonedTime } from "../../schedule/words.js";
import type { Message } from "../../session/transcript.js";
import { cleanLine, shorten } from "../../util/text.js";
import type { JobRun } from "../store.js";

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

/**
 * A result as part of a conversation. The note comes first, because what a model sees begins with a user's message, and so
 * that it knows why this was said.
 */
export function resultMessages({ job, run }: JobRun, text: string): readonly Message[] {
  const at = zonedTime(run.scheduledFor ?? run.madeAt, job.timing.timeZone);
  const note = `[note from Baton: the scheduled job ${jobName(job)} said this here, ${at}]`;
  return [
    { role: "user", content: note, note: true },
    { role: "assistant", content: text },
  ];
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
  const kept = output === null ? [] : [`It is saved in the output folder: \`${output}\``];
  return [`The result of the scheduled job ${jobName(job)} could not be sent.`, ...where, ...kept].join("\n");
}

function sentence(why: string): string {
  const line = shorten(cleanLine(why), LONGEST_REASON);
  return /[.!?…]$/.test(line) ? line : `${line}.`;
}
