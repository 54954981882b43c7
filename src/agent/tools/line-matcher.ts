/**
 * Finds the lines of a text that match. Plain text is searched here; a regular expression in its own thread, because
 * some take too long: then the thread is ended, and the process continues.
 */
import { Worker } from "node:worker_threads";
import { timerMs } from "../../util/timer-ms.js";
import { Refused } from "./refused.js";

export interface LineMatcher {
  /** Indexes of the matching lines, in order; null if it was ended before. Not called again after that. */
  match(lines: readonly string[]): Promise<readonly number[] | null>;
  close(): Promise<void>;
}

export function plainMatcher(text: string, ignoreCase: boolean): LineMatcher {
  const fold = (line: string) => (ignoreCase ? line.toLowerCase() : line);
  const wanted = fold(text);
  return {
    match: async (lines) => lines.flatMap((line, index) => (fold(line).includes(wanted) ? [index] : [])),
    close: async () => {},
  };
}

/**
 * The code of the thread: lines in, indexes out. It is text, because our modules have other names before they are
 * compiled.
 */
const OTHER_THREAD = `
const { parentPort, workerData } = require("node:worker_threads");
const expression = new RegExp(workerData.source, workerData.flags);
parentPort.on("message", (lines) => {
  const found = [];
  for (let index = 0; index < lines.length; index++) if (expression.test(lines[index])) found.push(index);
  parentPort.postMessage(found);
});`;

/** Ends after this time, or when the signal aborts; then it finds nothing more. */
export function expressionMatcher(
  source: string,
  ignoreCase: boolean,
  { timeMs, signal }: { readonly timeMs: number; readonly signal: AbortSignal },
): LineMatcher {
  const flags = ignoreCase ? "iu" : "u";
  const worker = new Worker(OTHER_THREAD, {
    eval: true,
    env: {},
    workerData: { source: checked(source, flags).source, flags },
    resourceLimits: { maxOldGenerationSizeMb: 128 },
  });
  let broken: Error | null = null;
  let answer: (found: readonly number[] | null) => void = () => {};
  let isOver = false;
  const ended = new Promise<void>((resolve) => {
    worker.once("exit", () => {
      isOver = true;
      answer(null);
      resolve();
    });
  });
  worker.on("message", (found: readonly number[]) => answer(found));
  worker.on("error", (error) => {
    broken = error;
  });
  const end = () => void worker.terminate();
  const timer = setTimeout(end, timerMs(timeMs));
  signal.addEventListener("abort", end, { once: true });
  return {
    async match(lines) {
      const found = await new Promise<readonly number[] | null>((resolve) => {
        answer = resolve;
        if (isOver) resolve(null);
        else worker.postMessage(lines);
      });
      if (broken) throw new Refused(`the expression can't be used: ${broken.message}`);
      return found;
    },
    async close() {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      end();
      await ended;
    },
  };
}

function checked(source: string, flags: string): RegExp {
  try {
    return new RegExp(source, flags);
  } catch (error) {
    throw new Refused(
      `\`query\` is not a regular expression: ${(error as Error).message}. Leave out \`regex\` for plain text.`,
    );
  }
}
