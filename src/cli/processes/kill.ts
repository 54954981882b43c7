/** `baton processes kill`: ends a process and everything that it started. */
import { canBeEnded, endWords } from "../../process/words.js";
import type { Cli } from "../cli.js";
import { CliError } from "../failure.js";
import type { JsonOption } from "../options.js";
import { hasEnded, hosted, processFacts, withProcesses } from "./which.js";

/** Most programs end sooner. */
const SOON_MS = 500;

export function killProcess(cli: Cli, which: string, { json }: JsonOption): Promise<void> {
  const { terminal } = cli;
  return withProcesses(cli, async (processes) => {
    const { kept, status } = await hosted(processes, which);
    if (status.end && !canBeEnded({ kept, status })) throw hasEnded(kept.id, status.end);
    const waits = setTimeout(() => terminal.progress(`Waiting for ${kept.id} to end…`), SOON_MS);
    const seen = await processes.kill(kept.id, "person").finally(() => {
      clearTimeout(waits);
      terminal.progress("");
    });
    const end = seen.status?.end;
    if (!end) throw new CliError("still_running", `${kept.id} is still running after SIGKILL. Try again.`);
    if (json) terminal.json(processFacts(seen));
    else if (status.end) terminal.line(`Ended the programs that ${kept.id} had left running.`);
    else terminal.line(`${kept.id} ${endWords(end)}.`);
    if (canBeEnded(seen))
      throw new CliError(
        "still_running",
        `A program that ${kept.id} started is still running after SIGKILL. Try again.`,
      );
  });
}
