/**
 * The tool `terminal`: a shell command in the foreground, in a folder of those that file tools may use. The command itself
 * is not confined: what it may do is what this user may do, which is why some are asked about first.
 */
import { realpathSync, statSync } from "node:fs";
import { resolve } from "node:path";
import type { Danger, Tool } from "../agent.js";
import { Confined } from "./confined.js";
import { type Arguments, answering, Refused } from "./refused.js";
import { runShell } from "./shell-run.js";

export interface TerminalOptions {
  /** Where commands run that name no other folder. */
  readonly cwd: string;
  /** The folders that they may name; `cwd` by default. */
  readonly confined?: Confined;
  /** All that commands see of the environment. */
  readonly environment: Readonly<Record<string, string>>;
  /** How long a command may take that does not say. */
  readonly timeoutMs?: number;
  /** The longest time that it may ask for. */
  readonly maxTimeoutMs?: number;
  /** The longest output that is kept, in UTF-16 units. */
  readonly maxOutput?: number;
  /** If given, only these commands run without a question. */
  readonly allow?: readonly string[];
}

const DESCRIPTION =
  "Runs a shell command and returns how it ended and what it printed. It has no input, and ends after a time-out.";

const LONGEST_FOLDER = 10_000;

export function terminalTool(options: TerminalOptions): Tool {
  const { maxTimeoutMs = 600_000, maxOutput = 30_000 } = options;
  const { confined = new Confined({ folders: [options.cwd], base: options.cwd, forbidden: [] }) } = options;
  const { timeoutMs = Math.min(120_000, maxTimeoutMs) } = options;
  return {
    name: "terminal",
    description: DESCRIPTION,
    parameters: {
      type: "object",
      properties: {
        command: { type: "string", description: "What the shell runs." },
        workdir: { type: "string", description: "The folder it runs in; the working folder by default." },
        timeout: {
          type: "number",
          description: `After how many seconds it is ended; ${timeoutMs / 1_000} by default, at most ${maxTimeoutMs / 1_000}.`,
        },
      },
      required: ["command"],
      additionalProperties: false,
    },
    danger: async (args) => {
      const command = textOf(args, "command");
      if (command === null) return null;
      const { dangerOf } = await import("./danger.js"); // Only now: it brings a parser along.
      const reason = dangerOf(command, options);
      if (reason === null) return null;
      return dangerIn(resolve(options.cwd, textOf(args, "workdir") ?? ""), command, reason);
    },
    run: answering(async (args, context) => {
      const command = commandOf(args);
      const wanted = (args.optionalNumber("timeout", 0.001) ?? timeoutMs / 1_000) * 1_000;
      const cwd = await folderOf(args, options.cwd, confined);
      const limited = { ...options, cwd, maxOutput, timeoutMs: Math.min(wanted, maxTimeoutMs) };
      const result = await runShell(command, limited, context);
      return wanted > maxTimeoutMs
        ? `(Its time-out was limited to ${maxTimeoutMs / 1_000} s.) ${result}`
        : result;
    }),
  };
}

interface Place {
  readonly path: string;
  /** What the folder is, whatever its name; null where there is none. */
  readonly identity: string | null;
}

/** Where a path leads to at this moment. */
function placeOf(path: string): Place {
  try {
    const real = realpathSync(path);
    const { dev, ino } = statSync(real);
    return { path: real, identity: `${dev} ${ino}` };
  } catch {
    return { path, identity: null };
  }
}

/** What is shown, and approved, is the folder that is really meant. */
function dangerIn(folder: string, command: string, reason: string): Danger {
  const place = placeOf(folder);
  const isStillSo = (): boolean => {
    const now = placeOf(folder);
    return now.path === place.path && now.identity === place.identity;
  };
  return { reason, what: `${command}\n\nin ${place.path}`, isStillSo };
}

function commandOf(args: Arguments): string {
  const command = args.words("command", Number.POSITIVE_INFINITY);
  if (command.includes("\0")) throw new Refused("`command` must be a text without NUL characters.");
  return command;
}

async function folderOf(args: Arguments, cwd: string, confined: Confined): Promise<string> {
  const written = args.optionalText("workdir", LONGEST_FOLDER);
  if (!written) return cwd;
  const folder = await confined.openFolder(written, async () => {}); // It may be any of the folders.
  await folder.close();
  return folder.path;
}

function textOf(args: unknown, name: string): string | null {
  if (typeof args !== "object" || args === null) return null;
  const value = (args as Readonly<Record<string, unknown>>)[name];
  return typeof value === "string" ? value : null;
}
