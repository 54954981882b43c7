/** `baton processes write`: types something into a process. */
import { text as textOf } from "node:stream/consumers";
import type { Cli } from "../cli.js";
import { wrongUsage } from "../failure.js";
import type { JsonOption } from "../options.js";
import { typeAll } from "./input.js";
import { processFacts, running, withProcesses } from "./which.js";

interface WriteOptions extends JsonOption {
  readonly raw?: boolean;
}

export function writeToProcess(
  cli: Cli,
  which: string,
  words: readonly string[],
  { raw, json }: WriteOptions,
): Promise<void> {
  return withProcesses(cli, async (processes) => {
    const { kept, status } = await running(processes, which);
    const given = words.length > 0 ? words.join(" ") : await piped(cli);
    const text = raw ? given : typed(given, status.pty !== null);
    const seen = await typeAll(processes, kept.id, text);
    if (json) cli.terminal.json(processFacts(seen));
  });
}

async function piped({ streams: { stdin } }: Cli): Promise<string> {
  if (stdin.isTTY) throw wrongUsage("Give the text after the id, or pipe it in.");
  const given = await textOf(stdin);
  if (given === "") throw wrongUsage('Nothing was piped in, so nothing was typed. For Enter alone, give "".');
  return given;
}

/** Whole lines. A terminal gets what the key Enter sends: programs that read key by key know no other. */
function typed(given: string, isTerminal: boolean): string {
  const lines = given.endsWith("\n") ? given : `${given}\n`;
  return isTerminal ? lines.replace(/\r?\n/g, "\r") : lines;
}
