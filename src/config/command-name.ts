/**
 * How the person calls this program, for sentences that name a command to type: `baton` if it is on the PATH, else as it
 * was started. Pure.
 */
import { basename, delimiter, isAbsolute, join, relative, sep } from "node:path";
import { USUAL_COMMAND } from "../util/command-words.js";

export interface ProgramStart {
  /** The file that Node.js was given. */
  readonly script: string;
  /** The program itself, links followed. */
  readonly main: string;
  /** Where programs are found. */
  readonly path: string;
  /** Which script of npm this is part of; null if npm did not start it. */
  readonly npmEvent: string | null;
  /** Null if it is deleted. */
  readonly workingFolder: string | null;
  /** Follows links; null if there is no such file. */
  realPath(file: string): string | null;
}

export function commandName(start: ProgramStart): string {
  const { script, main, npmEvent, workingFolder } = start;
  if (isOnPath(start)) return USUAL_COMMAND;
  // In npm's own store of packages it is known by the name of its package.
  if (npmEvent === "npx" || npmEvent === "start")
    return main.includes(`${sep}_npx${sep}`) ? "npx baton-gateway" : "npx baton";
  const near = workingFolder === null ? script : relative(workingFolder, script);
  const file = near.startsWith("..") || isAbsolute(near) ? script : near;
  const shown = /^[\w@%+=:,./-]+$/.test(file) ? file : `'${file.replaceAll("'", "'\\''")}'`;
  return basename(script) === USUAL_COMMAND ? shown : `node ${shown}`;
}

/** The first one that is found counts. The folders that npm adds for its scripts are not in the person's shell. */
function isOnPath({ path, main, realPath }: ProgramStart): boolean {
  const own = join("node_modules", ".bin");
  const folders = path.split(delimiter).filter((folder) => folder !== "" && !folder.endsWith(own));
  const found = folders.map((folder) => realPath(join(folder, USUAL_COMMAND))).find((file) => file !== null);
  return found === main;
}
