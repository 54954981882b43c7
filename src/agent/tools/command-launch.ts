/**
 * What to start for a shell command, on this machine or elsewhere, in the foreground or in the background: the only way
 * from a command to a process, so that all of them are confined alike.
 */
import { existsSync } from "node:fs";
import type { CommandEnvironment, LaunchMode, LaunchThere } from "../../util/command-environment.js";
import { withoutDescriptors } from "../../util/without-descriptors.js";
import type { Launch, Sandbox } from "../sandbox/sandbox.js";
import { Refused } from "./refused.js";

/** What is started. No shell is added. */
export interface CommandLaunch extends Launch, LaunchThere {
  /** A path that leads to the folder; valid while the place is held. */
  readonly cwd: string;
}

/** A folder of this machine that is held open, and the wall around it. */
export interface PlaceHere {
  /** The folder, as the command sees it. */
  readonly path: string;
  /** The path that leads to the folder even if its name changes. */
  readonly way: string;
  /** The whole environment that commands see. */
  readonly environment: Readonly<Record<string, string>>;
  /** Null if they run with all the rights of this user. */
  readonly sandbox: Sandbox | null;
  /** A folder of Baton's own that they may read in the sandbox. */
  readonly given?: string | undefined;
}

export function launchHere(command: string, place: PlaceHere, mode: LaunchMode): CommandLaunch {
  const { path, way: cwd, sandbox, given } = place;
  const environment = mode === "terminal" ? { ...place.environment, TERM } : place.environment;
  const words = mode === "foreground" ? inOne(command) : ([SHELL, "-c", "--", command] as const);
  const [program, ...rest] = words;
  // In the background the host starts it, which has none to pass on.
  const [file, ...args] = mode === "foreground" ? withoutDescriptors(program, rest) : words;
  const launch: Launch = sandbox
    ? sandbox.launch(words, path, environment, mode, given)
    : { file, args, environment, hasOwnProcesses: false };
  return { ...launch, cwd, remote: null };
}

const SHELL = existsSync("/bin/bash") ? "/bin/bash" : "/bin/sh";
const TERM = "xterm-256color";

/** Both outputs in one pipe, so that their order is kept. In the background they are one file anyway. */
function inOne(command: string): readonly [string, ...string[]] {
  return ["/bin/sh", "-c", 'exec "$0" -c -- "$1" 2>&1', SHELL, command];
}

/** Throws `Refused` if the other side cannot run it. */
export async function launchThere(
  command: string,
  there: CommandEnvironment,
  workdir: string | null,
  mode: LaunchMode,
): Promise<CommandLaunch> {
  try {
    return { ...(await there.launch(command, workdir, mode)), cwd: "/", hasOwnProcesses: false };
  } catch (error) {
    throw new Refused(
      `not run: the environment \`${there.name}\` can't be used: ${(error as Error).message}`,
    );
  }
}
