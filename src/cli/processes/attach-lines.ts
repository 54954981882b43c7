/** Attached without a terminal on one of both sides: lines go in, text comes out. */
import { setTimeout as delay } from "node:timers/promises";
import { PrintableStream } from "../../adapter/terminal/printable-stream.js";
import type { Processes } from "../../process/processes.js";
import { BatonError } from "../../session/errors.js";
import type { ProcessId } from "../../session/ids.js";
import type { Cli } from "../cli.js";
import { jsonLine } from "../terminal.js";
import { followedOutput } from "./output.js";
import type { KnownProcess } from "./which.js";

const AGAIN_MS = 50;

export async function attachLines(
  { terminal, streams: { stdin } }: Cli,
  processes: Processes,
  { kept: { id }, status }: KnownProcess,
  json: boolean,
): Promise<void> {
  const left = new AbortController();
  const clean = new PrintableStream(); // It was not made for a terminal: what it prints must not steer one.
  const print = async (text: string) => {
    const shown = json && text !== "" ? `${jsonLine({ output: text })}\n` : text;
    await terminal.write(shown);
  };
  let typing = Promise.resolve();
  const type = (work: () => Promise<unknown>): void => {
    typing = typing.then(work).then(
      () => {},
      (error: Error) => terminal.problem(error.message),
    );
  };
  if (stdin.isTTY)
    terminal.problem(
      `Attached to ${id}. It gets what you type line by line. Ctrl-C leaves it, Ctrl-D ends its input.`,
    );
  process.once("SIGINT", () => left.abort());
  stdin.setEncoding("utf8");
  stdin.on("data", (text: string) => type(() => written(processes, id, text, left.signal)));
  // What is piped in may be over at once, as from /dev/null: that is no wish to end the input.
  stdin.on("end", () => stdin.isTTY && type(() => processes.close(id)));
  try {
    for await (const { text } of followedOutput(processes, id, status.output.from, left.signal))
      await print(clean.push(text));
    await print(clean.end());
  } finally {
    stdin.pause();
    await typing;
  }
}

/** A program that reads slowly gets everything, in order. */
async function written(
  processes: Processes,
  id: ProcessId,
  text: string,
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    try {
      return void (await processes.write(id, text));
    } catch (error) {
      const isFull = error instanceof BatonError && error.code === "process_input_full";
      if (!isFull || signal.aborted) throw error;
    }
    await delay(AGAIN_MS);
  }
}
