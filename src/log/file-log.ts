/**
 * The log in the home folder: private JSON lines. The library is loaded with the first line, so that a run that logs
 * nothing does not pay for it. If the log can't be written, that is reported once and stops nothing.
 */
import { createRequire } from "node:module";
import type { Logger, pino as Pino } from "pino";
import { fileReason } from "../util/file-problem.js";
import type { OnProblem } from "../util/problem.js";
import type { Log } from "./log.js";
import { LOG_LIMITS, logFolder, RotatingFile, type RotationLimits } from "./rotating-file.js";

export interface FileLogOptions {
  readonly home: string;
  /** Which part of Baton writes. */
  readonly by: "gateway" | "chat";
  /** Called once, if the log can't be written. */
  readonly onProblem: OnProblem;
  readonly limits?: RotationLimits;
}

/** The lines must be safe already: see `safeLog`. */
export function fileLog(options: FileLogOptions): Log {
  const { home, by, onProblem, limits = LOG_LIMITS } = options;
  const folder = logFolder(home);
  const file = new RotatingFile(folder, limits);
  let logger: Logger | null = null;
  let told = false;
  return (level, text, details) => {
    try {
      logger ??= loggerTo(file, by);
      logger[level](details ?? {}, text);
    } catch (error) {
      if (told) return;
      told = true;
      onProblem(`Can't write the log in ${folder}: ${fileReason(error)}.`, { cause: error });
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
