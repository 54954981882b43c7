/**
 * How a failed run ends, in one place: exit code 1 if it failed, 2 for wrong usage. One line for people, one object for
 * `--json`, a stack trace only for a bug.
 */
import { CommanderError } from "commander";
import { BatonError } from "../session/errors.js";
import { fileProblem, fileSentence } from "../util/file-problem.js";
import { printableText } from "../util/text.js";
import type { Terminal } from "./terminal.js";

/** A refusal of the command line itself. */
export class CliError extends Error {
  readonly code: string;
  readonly exitCode: number;

  constructor(code: string, message: string, exitCode = 1) {
    super(message);
    this.code = code;
    this.exitCode = exitCode;
  }
}

/** The exit code of a command that was typed wrong. */
export const WRONG_USAGE = 2;

/** The command was typed wrong. */
export function wrongUsage(message: string): CliError {
  return new CliError("usage", message, WRONG_USAGE);
}

/** Prints what went wrong and gives the exit code; `help` is the command that shows the right usage. */
export function reportFailure(
  error: unknown,
  terminal: Terminal,
  { json, help }: { json: boolean; help: string },
): number {
  if (error instanceof CommanderError && error.exitCode === 0) return 0; // Help or version was asked for.
  if (error instanceof CommanderError && error.code === "commander.help") return 2; // A bare `sessions`.
  const { code, message, exitCode, stack } = failureOf(error, help);
  if (json) terminal.problemJson({ error: { code, message } });
  else terminal.problem(`baton: ${printableText(message)}${stack ? `\n${printableText(stack)}` : ""}`);
  return exitCode;
}

const NO_FOLDER = "The folder that you are in is deleted. Go to another one, such as `cd ~`, and try again.";

export function failureOf(
  error: unknown,
  help: string,
): { code: string; message: string; exitCode: number; stack?: string } {
  if (error instanceof CliError) {
    const { code, message, exitCode } = error;
    return { code, message, exitCode };
  }
  if (error instanceof CommanderError) {
    const message = error.message.replace(/^error: /, "");
    const at = message.indexOf("\n(Did you mean ");
    const [said, hint] = at < 0 ? [message, ""] : [message.slice(0, at), message.slice(at + 2, -1)];
    const sentence = `${said.charAt(0).toUpperCase()}${said.slice(1)}${/[.?!]$/.test(said) ? "" : "."}`;
    return { code: "usage", message: `${sentence} ${hint || `See \`${help}\`.`}`, exitCode: 2 };
  }
  if (error instanceof BatonError) {
    const { code, message } = error;
    return { code, message, exitCode: code === "invalid_cursor" ? 2 : 1 };
  }
  const { path, syscall } = (error ?? {}) as NodeJS.ErrnoException;
  if (syscall === "uv_cwd") return { code: "no_folder", message: NO_FOLDER, exitCode: 1 };
  const inTheWay = fileInTheWay(error);
  if (inTheWay) return { code: "not_a_folder", message: inTheWay, exitCode: 1 };
  if (path !== undefined && fileProblem(error) !== null)
    return { code: "file_failed", message: `${fileSentence(error)}.`, exitCode: 1 };
  const { message, stack = "" } = error instanceof Error ? error : new Error(String(error));
  return {
    code: "unexpected",
    message: `Unexpected error: ${message}. This is a bug in Baton; please report it.`,
    exitCode: 1,
    stack,
  };
}

/** The error if a file is where a folder is needed, such as the home folder. */
function fileInTheWay(error: unknown): string | null {
  const { code, syscall, path } = (error ?? {}) as NodeJS.ErrnoException;
  const cure = "Move the file away, or use another path.";
  if (code === "ENOTDIR") return `${path} can't be created: its parent is a file, not a folder. ${cure}`;
  if (code === "EEXIST" && syscall === "mkdir") return `${path} is a file, not a folder. ${cure}`;
  return null;
}
