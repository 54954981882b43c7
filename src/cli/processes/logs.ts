/** `baton processes logs`: the last lines of a process, as plain text; with -f, also what comes until it ends. */

import { OtherScreen } from "../../process/other-screen.js";
import type { OutputPart } from "../../process/process.js";
import type { KnownProcess, Processes } from "../../process/processes.js";
import { SCREEN_BYTES, screenOf } from "../../process/screen.js";
import { endWords } from "../../process/words.js";
import type { ProcessId } from "../../session/ids.js";
import { PrintableStream } from "../../util/printable-stream.js";
import { grouped } from "../../util/words.js";
import type { Cli } from "../cli.js";
import type { JsonOption } from "../options.js";
import { jsonLine, type Terminal } from "../terminal.js";
import { followedOutput, keptOutput } from "./output.js";
import { hosted, processFacts, withProcesses } from "./which.js";

interface ProcessLogsOptions extends JsonOption {
  readonly follow?: boolean;
  readonly lines: number;
}

export function processLogs(cli: Cli, which: string, options: ProcessLogsOptions): Promise<void> {
  const { terminal } = cli;
  return withProcesses(cli, async (processes) => {
    const { kept, status } = await hosted(processes, which);
    const printer = new LogPrinter(terminal, options.json ?? false);
    const left = new AbortController();
    if (options.follow) process.once("SIGINT", () => left.abort());
    await printer.print(await lastOutput(terminal, processes, { kept, status }, options.lines));
    if (options.follow) {
      for await (const part of followedOutput(processes, kept.id, status.output.to, left.signal))
        await printer.print(part);
    }
    await printer.end();
    await sayEnd(terminal, processes, kept.id, options);
  });
}

/** The last lines, or the screen of a program that has drawn on all of it. */
async function lastOutput(
  terminal: Terminal,
  processes: Processes,
  { kept: { id }, status: { pty, end, output } }: KnownProcess,
  lines: number,
): Promise<OutputPart> {
  if (lines === 0) return { text: "", from: output.to, to: output.to };
  let text = ""; // It has a bound.
  let from: number | null = null;
  for await (const part of keptOutput(processes, id, output.from, output.to)) {
    from ??= part.from;
    text += part.text;
  }
  const start = from ?? output.from;
  if (pty && drawsOnOtherScreen(text)) {
    terminal.problem(
      end
        ? `(${id} used the whole screen. This is what it showed last.)`
        : `(${id} uses the whole screen. This is what it shows. To use it, run \`baton processes attach ${id}\`.)`,
    );
    const drawing = Buffer.from(text).subarray(-SCREEN_BYTES).toString();
    return { text: `${await screenOf(drawing, pty)}\n`, from: start, to: output.to };
  }
  const last = lastLines(text, lines);
  if (start === 0 || last.length < text.length) return { text: last, from: start, to: output.to };
  const whole = text.slice(text.indexOf("\n") + 1); // The first line is only a part of one.
  const gone = start + Buffer.byteLength(text) - Buffer.byteLength(whole);
  terminal.problem(`(The first ${grouped(gone)} bytes of the output are no longer kept.)`);
  return { text: whole, from: start, to: output.to };
}

function drawsOnOtherScreen(text: string): boolean {
  const screen = new OtherScreen();
  screen.push(text);
  return screen.isOn;
}

function lastLines(text: string, lines: number): string {
  const ends = text.endsWith("\n") ? 1 : 0;
  return text
    .split("\n")
    .slice(-lines - ends)
    .join("\n");
}

/** Text without escape sequences. If older output was dropped before it was read, it says so. */
class LogPrinter {
  readonly #terminal: Terminal;
  readonly #json: boolean;
  readonly #clean = new PrintableStream();
  #at: number | null = null;
  #endsLine = true;

  constructor(terminal: Terminal, json: boolean) {
    this.#terminal = terminal;
    this.#json = json;
  }

  async print({ text, from, to }: OutputPart): Promise<void> {
    if (this.#at !== null && from > this.#at)
      this.#terminal.problem(`(Skipped ${grouped(from - this.#at)} bytes: the output came too fast.)`);
    this.#at = to;
    await this.#write(this.#clean.push(text));
  }

  /** What comes after it in a terminal begins a line. */
  async end(): Promise<void> {
    await this.#write(this.#clean.end());
    if (!this.#endsLine && !this.#json && this.#terminal.isSeen) await this.#terminal.write("\n");
  }

  async #write(text: string): Promise<void> {
    if (text === "") return;
    this.#endsLine = text.endsWith("\n");
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
  const { end } = seen.status ?? seen.kept; // What its host says counts.
  if (!json && follow && end) terminal.problem(`${id} ${endWords(end)}.`);
}
