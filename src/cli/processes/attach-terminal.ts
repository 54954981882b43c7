/** Attached with a terminal on both sides: the person sees what the PTY shows, and each key goes to the program. */
import type { KnownProcess, Processes } from "../../process/processes.js";
import { BatonError } from "../../session/errors.js";
import type { Cli } from "../cli.js";
import { followedOutput, keptOutput } from "./output.js";
import { RawTerminal } from "./raw-terminal.js";
import { withoutQuestions } from "./replay.js";

/**
 * Ctrl-\, which few programs use; it also leaves dtach and abduco. A program may have told the terminal to send keys in one
 * of the longer forms.
 */
const LEAVE_KEY = /\u001c|\u001b\[92;5(?::1)?u|\u001b\[27;5;92~/;

/** How much is shown of what was said before. */
const REPLAYED_BYTES = 256 * 1024;

/** How long a program has to notice a change of size. */
const REDRAW_MS = 100;

export async function attachTerminal(
  { terminal, streams }: Cli,
  processes: Processes,
  { kept: { id }, status }: KnownProcess,
): Promise<void> {
  const { stdin, stdout } = streams;
  const left = new AbortController();
  const leave = (): void => left.abort();
  const queue = new InputQueue(leave);
  const resize = (fewerRows = 0): void => {
    const size = { cols: stdout.columns, rows: Math.max(1, stdout.rows - fewerRows) };
    queue.add(() => processes.resize(id, size));
  };
  const type = (keys: string): void => {
    const [before = "", ...rest] = keys.split(LEAVE_KEY);
    if (before !== "") queue.add(() => processes.write(id, before));
    if (rest.length > 0) leave();
  };
  const changed = (): void => resize();
  let redraw: NodeJS.Timeout | undefined;
  const raw = new RawTerminal(streams, terminal);
  terminal.problem(`Attached to ${id}. Press Ctrl-\\ to detach; the program keeps running.`);
  raw.enter();
  try {
    const { to } = status.output;
    const from = Math.max(status.output.from, to - REPLAYED_BYTES);
    let shown = "";
    for await (const { text } of keptOutput(processes, id, from, to)) shown += text;
    await raw.write(withoutQuestions(shown));
    stdin.setEncoding("utf8").on("data", type).on("end", leave);
    stdout.on("resize", changed);
    // If the beginning of its screen is missing, a change of size makes the program draw it again. Two changes at once would
    // be none.
    if (from > 0) {
      resize(1);
      redraw = setTimeout(changed, REDRAW_MS);
    } else resize();
    for await (const { text } of followedOutput(processes, id, to, left.signal)) await raw.write(text);
  } finally {
    clearTimeout(redraw);
    stdin.off("data", type).off("end", leave).pause();
    stdout.off("resize", changed);
    raw.leave();
  }
  queue.check();
}

/** One thing after the other, as it was typed. */
class InputQueue {
  readonly #onFailure: () => void;
  #last: Promise<unknown> = Promise.resolve();
  #failure: unknown = null;

  constructor(onFailure: () => void) {
    this.#onFailure = onFailure;
  }

  add(work: () => Promise<unknown>): void {
    this.#last = this.#last.then(work).catch((error) => {
      if (error instanceof BatonError && error.code === "process_input_closed") return; // It is about to end.
      this.#failure ??= error;
      this.#onFailure();
    });
  }

  /** Throws what went wrong. */
  check(): void {
    if (this.#failure !== null) throw this.#failure;
  }
}
