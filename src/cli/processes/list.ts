/** `baton processes list`: the background processes of this home folder, newest first. */
import type { SeenProcess } from "../../process/processes.js";
import { relativeTime } from "../../util/words.js";
import type { Cli } from "../cli.js";
import type { JsonOption } from "../options.js";
import { printTable } from "../table.js";
import type { Terminal } from "../terminal.js";
import { ofThisHome, processFacts, withProcesses } from "./which.js";

export function listProcesses(cli: Cli, { json }: JsonOption): Promise<void> {
  const { terminal } = cli;
  return withProcesses(cli, async (processes) => {
    const all = await ofThisHome(processes);
    if (json) return terminal.json({ processes: all.map(processFacts) });
    if (all.length === 0) return terminal.line("There are no background processes.");
    await printTable(terminal, columnsFor(terminal), all);
  });
}

function columnsFor({ paint }: Terminal) {
  const now = Date.now();
  return [
    { title: "ID", cell: ({ kept }: SeenProcess) => kept.id, paint: paint.cyan },
    {
      title: "STATE",
      cell: stateOf,
      paint: (text: string) => (text === "running" ? paint.green(text) : text),
    },
    { title: "COMMAND", cell: ({ kept }: SeenProcess) => kept.command, flexible: true },
    { title: "STARTED", cell: ({ kept }: SeenProcess) => relativeTime(kept.startedAt, now) },
    { title: "IN", cell: ({ kept }: SeenProcess) => kept.environment },
    { title: "SESSION", cell: ({ kept }: SeenProcess) => kept.sessionId, flexible: true },
  ];
}

/** In a word or two: the rest is in `--json`. */
function stateOf({ kept: { state, end } }: SeenProcess): string {
  if (end === null) return state;
  if (end.kind === "lost") return "lost";
  const how =
    end.signal !== null ? `killed ${end.signal}` : end.code === null ? "killed" : `exited ${end.code}`;
  return end.leftBehind ? `${how}, children run` : how;
}
