/** `baton processes logs`: the last lines of a process, as plain text; with -f, also what comes until it ends. */
import { PrintableStream } from "../../adapter/terminal/printable-stream.js";
import type { OutputPart } from "../../process/process.js";
import type { Processes } from "../../process/processes.js";
import { endWords } from "../../process/words.js";
import type { ProcessId } from "../../session/ids.js";
import { grouped } from "../../util/words.js";
import type { Cli } from "../cli.js";
import { jsonLine, type Terminal } from "../terminal.js";
import { followedOutput, keptOutput } from "./output.js";
import { hosted, type JsonOption, processFacts, withProcesses } from "./which.js";

interface ProcessLogsOptions extends JsonOption {
  readonly follow?: boolean;
  readonly lines: number;
}

export function processLogs(cli: Cli, which: string, options: ProcessLogsOptions): Promise<void> {
  return withProcesses(cli, async (processes) => {
    const { kept, status } = await hosted(processes, which);
    const printer = new LogPrinter(cli.terminal, options.json ?? false);
    const left = new AbortController();
    if (options.follow) process.once("SIGINT", () => left.abort());
    await printer.print(await lastLines(processes, kept.id, status.output, options.lines));
    if (options.follow) {
      for await (const part of followedOutput(processes, kept.id, status.output.to, left.signal))
        await printer.print(part);
    }
    await printer.end();
    await sayEnd(cli.terminal, processes, kept.id, options);
  });
}

/** All text is kept in memory: it has a bound. */
async function lastLines(
  processes: Processes,
  id: ProcessId,
  { from, to }: { readonly from: number; readonly to: number },
  lines: number,
): Promise<OutputPart> {
  let text = "";
  for await (const part of keptOutput(processes, id, from, to)) text += part.text;
  const ends = text.endsWith("\n") ? 1 : 0;
  return {
    text: text
      .split("\n")
      .slice(-lines - ends)
      .join("\n"),
    from,
    to,
  };
}

/** Text without escape sequences. If older output was dropped before it was read, it says so. */
class LogPrinter {
  readonly #terminal: Terminal;
  readonly #json: boolean;
  readonly #clean = new PrintableStream();
  #at: number | null = null;

  constructor(terminal: Terminal, json: boolean) {
    this.#terminal = terminal;
    this.#json = json;
  }

  async print({ text, from, to }: OutputPart): Promise<void> {
    if (this.#at !== null && from > this.#at)
      this.#terminal.problem(`(${grouped(from - this.#at)} bytes of output came too fast and are left out.)`);
    this.#at = to;
    await this.#write(this.#clean.push(text));
  }

  end(): Promise<void> {
    return this.#write(this.#clean.end());
  }

  async #write(text: string): Promise<void> {
    if (text === "") return;
    await this.#terminal.write(this.#json ? `${jsonLine({ output: text })}\n` : text);
  }
}

/** On stderr, so that the output stays as it was. */
async function sayEnd(
  terminal: Terminal,
  processes: Processes,
  id: ProcessId,
  { follow, json }: ProcessLogsOptions,
): Promise<void> {
  const seen = await processes.find(id);
  if (seen === null) return;
  if (json) await terminal.write(`${jsonLine({ process: processFacts(seen) })}\n`);
  else if (follow && seen.status?.end) terminal.problem(`${id} ${endWords(seen.status.end)}.`);
}
