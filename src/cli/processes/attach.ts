/**
 * `baton processes attach`: a process in this terminal. One with a PTY has the whole terminal, key by key; one with pipes
 * gets whole lines. Either goes on when the person leaves it.
 */
import type { KnownProcess, Processes, SeenProcess } from "../../process/processes.js";
import { endWords } from "../../process/words.js";
import type { ProcessId } from "../../session/ids.js";
import type { Cli } from "../cli.js";
import type { JsonOption } from "../options.js";
import { jsonLine } from "../terminal.js";
import { attachLines } from "./attach-lines.js";
import { attachTerminal } from "./attach-terminal.js";
import { processFacts, running, withProcesses } from "./which.js";

export function attachProcess(cli: Cli, which: string, { json }: JsonOption): Promise<void> {
  const { terminal } = cli;
  return withProcesses(cli, async (processes) => {
    const one = await running(processes, which);
    const { id } = one.kept;
    await attached(cli, processes, one, json ?? false);
    const seen = await processes.find(id);
    if (json) return terminal.write(`${jsonLine({ process: seen && processFacts(seen) })}\n`);
    terminal.problem(farewell(id, seen));
  });
}

/** If its host does not answer, the store may know its end. */
function farewell(id: ProcessId, seen: SeenProcess | null): string {
  const end = (seen?.status ?? seen?.kept)?.end;
  if (end) return `${id} ${endWords(end)}.`;
  return `Detached from ${id}. ${seen?.status ? "It is still running." : "Baton can't tell if it still runs."}`;
}

function attached(cli: Cli, processes: Processes, one: KnownProcess, json: boolean): Promise<void> {
  const hasTerminal = one.status.pty !== null && cli.terminal.canAsk && !json;
  return hasTerminal ? attachTerminal(cli, processes, one) : attachLines(cli, processes, one, json);
}
