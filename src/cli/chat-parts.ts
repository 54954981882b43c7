/** What a chat in the terminal and a single question have in common. */
import { fileLog } from "../log/file-log.js";
import { type Log, safeLog } from "../log/log.js";
import type { Handoff } from "../session/handoff.js";
import type { OnProblem } from "../util/problem.js";
import { printableText } from "../util/text.js";
import type { Cli } from "./cli.js";
import { wrongUsage } from "./failure.js";

export interface ChatFlags {
  /** False for `--no-session`. */
  readonly session?: string | false;
  readonly new?: boolean;
  readonly continue?: boolean;
  readonly message?: string;
  readonly attach?: readonly string[];
  readonly json?: boolean;
  readonly model?: string;
  readonly system?: string;
}

/** Fails if the options name several conversations. */
export function mustNameOne({ session, new: isNew = false, continue: goesOn = false }: ChatFlags): void {
  if ([session !== undefined, isNew, goesOn].filter(Boolean).length > 1)
    throw wrongUsage("Give only one of --session, --new, --continue and --no-session.");
}

export type Moving = Pick<Handoff, "target" | "isBusy" | "readySince" | "waitMs">;

/** `moving to discord:7, 12 s of 60`. */
export function movingWords({ target, isBusy, readySince, waitMs }: Moving): string {
  if (isBusy) return `will move to ${target} after this answer`;
  const seconds = Math.max(0, Math.round((Date.now() - readySince) / 1_000));
  return `moving to ${target}, ${seconds} s of ${Math.round(waitMs / 1_000)}`;
}

/** Shows a problem, and writes it into the log. */
export function noted({ home, redact }: Cli, told: OnProblem): OnProblem {
  const log: Log = safeLog(redact, fileLog({ home, by: "chat", onProblem: told }));
  return (problem, details) => {
    told(problem);
    log("warn", problem, details);
  };
}

export function tell(cli: Cli, problem: string): void {
  cli.terminal.problem(printableText(problem));
}
