/** Attached without a terminal on one of both sides: lines go in, text comes out. */

import type { KnownProcess, Processes } from "../../process/processes.js";
import { PrintableStream } from "../../util/printable-stream.js";
import type { Cli } from "../cli.js";
import { jsonLine } from "../terminal.js";
import { typeWhenRead } from "./input.js";
import { followedOutput } from "./output.js";

/** Keys that leave it. */
const LEAVING = ["SIGINT", "SIGQUIT"] as const;

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
      `Attached to ${id}. It reads what you type line by line. Press Ctrl-C to detach, or Ctrl-D to end its input.`,
    );
  for (const signal of LEAVING) {
    process.once(signal, () => {
      if (stdin.isTTY) terminal.problem(""); // The terminal has printed the key, so begin a new line.
      left.abort();
    });
  }
  stdin.setEncoding("utf8");
  stdin.on("data", (text: string) => type(() => typeWhenRead(processes, id, text, left.signal)));
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
