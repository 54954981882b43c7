/**
 * The log in the home folder: JSON lines, private. The library is loaded with the first line, so that a run with
 * nothing to say does not pay for it. A log that cannot be written is told once, and never stops anything.
 */
import { createRequire } from "node:module";
import type { Logger, pino as Pino } from "pino";
import type { Log } from "./log.js";
import { LOG_LIMITS, logFolder, RotatingFile, type RotationLimits } from "./rotating-file.js";

export interface FileLogOptions {
  readonly home: string;
  /** Which part of Baton is speaking. */
  readonly by: "gateway" | "chat";
  /** Told once, where the log cannot be written. */
  readonly onProblem: (problem: string) => void;
  readonly limits?: RotationLimits;
}

/** What it is given is to be safe already: see `safeLog`. */
export function fileLog(options: FileLogOptions): Log {
  const { home, by, onProblem, limits = LOG_LIMITS } = options;
  const folder = logFolder(home);
  const file = new RotatingFile(folder, limits);
  let logger: Logger | null = null;
  let told = false;
  return (level, text) => {
    try {
      logger ??= loggerTo(file, by);
      logger[level](text);
    } catch (error) {
      if (told) return;
      told = true;
      onProblem(`Can't write the log in ${folder}: ${(error as Error).message}.`);
    }
  };
}

function loggerTo(file: RotatingFile, by: string): Logger {
  const { pino } = createRequire(import.meta.url)("pino") as { pino: typeof Pino };
  return pino(
    {
      base: { by, pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (level) => ({ level }) },
    },
    { write: (line) => file.append(line, Date.now()) },
  );
}
