/** `baton processes kill`: ends a process and everything that it started. */
import { canBeEnded, endWords } from "../../process/words.js";
import type { Cli } from "../cli.js";
import { CliError } from "../failure.js";
import { hosted, type JsonOption, processFacts, withProcesses } from "./which.js";

export function killProcess(cli: Cli, which: string, { json }: JsonOption): Promise<void> {
  const { terminal } = cli;
  return withProcesses(cli, async (processes) => {
    const { kept, status } = await hosted(processes, which);
    if (status.end && !canBeEnded({ kept, status }))
      throw new CliError("process_ended", `${kept.id} has already ended: it ${endWords(status.end)}.`);
    const seen = await processes.kill(kept.id, "person");
    const end = seen.status?.end;
    if (!end) throw new CliError("still_running", `${kept.id} does not end, not even by the signal KILL.`);
    if (json) terminal.json(processFacts(seen));
    else terminal.line(`${kept.id} ${endWords(end)}.`);
    if (canBeEnded(seen))
      throw new CliError(
        "still_running",
        `Something that ${kept.id} started does not end, not even by the signal KILL. Try again.`,
      );
  });
}
