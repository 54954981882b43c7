/** The processes of this home folder, for the verbs of `baton processes`; and one of them as JSON. */
import type { ProcessEnd } from "../../process/process.js";
import type { KnownProcess, Processes, SeenProcess } from "../../process/processes.js";
import { endWords, processMeant } from "../../process/words.js";
import { BatonError } from "../../session/errors.js";
import type { ProcessId } from "../../session/ids.js";
import type { Cli } from "../cli.js";
import { CliError } from "../failure.js";

/** Opens them for one command and always closes them. First the store learns what happened while nobody looked. */
export async function withProcesses(cli: Cli, work: (processes: Processes) => Promise<void>): Promise<void> {
  const open = await cli.openProcesses(await cli.loadConfig());
  try {
    await open.processes.reconcile();
    await work(open.processes);
  } finally {
    await open.close();
  }
}

export function ofThisHome(processes: Processes): Promise<SeenProcess[]> {
  return processes.list({ home: processes.home });
}

/** By its id, or the beginning of its id. */
export async function hosted(processes: Processes, given: string): Promise<KnownProcess> {
  const all = (await ofThisHome(processes)).map((seen) => ({ ...seen, id: seen.kept.id }));
  const { kept, status } = processMeant(all, given);
  if (status !== null) return { kept, status };
  // If no host runs, a new one reads what the last one kept.
  const asked = await processes.status(kept.id).catch(gone);
  if (asked) return asked;
  throw new CliError(
    "process_gone",
    `The output of ${kept.id} was deleted. Only its line in the list is left.`,
  );
}

/** The same, if it runs. */
export async function running(processes: Processes, given: string): Promise<KnownProcess> {
  const one = await hosted(processes, given);
  if (one.status.end) throw hasEnded(one.kept.id, one.status.end);
  return one;
}

export function hasEnded(id: ProcessId, end: ProcessEnd): CliError {
  return new CliError("process_ended", `${id} has already ended: it ${endWords(end)}.`);
}

function gone(error: unknown): null {
  if (error instanceof BatonError && error.code === "process_not_found") return null;
  throw error;
}

/** What programs get. */
export function processFacts({ kept, status }: SeenProcess) {
  const { id, sessionId, command, workdir, environment, state, startedAt } = kept;
  return {
    id,
    sessionId,
    command,
    workdir,
    environment,
    state,
    startedAt,
    endedAt: kept.endedAt,
    end: kept.end,
    pid: status?.pid ?? null,
    pty: status?.pty ?? null,
    output: status?.output ?? null,
    takesInput: status?.takesInput ?? false,
  };
}
