/**
 * Where a call of the tool `terminal` runs its command: a folder of this machine that is held open, in the sandbox or
 * not, or a folder of another environment, which Baton can't look into.
 */
import { realpathSync, statSync } from "node:fs";
import { resolve } from "node:path";
import type { CommandEnvironment, LaunchMode } from "../../util/command-environment.js";
import { THIS_MACHINE } from "../../util/command-environment.js";
import type { Danger, GivenFiles } from "../agent.js";
import type { Sandbox } from "../sandbox/sandbox.js";
import { type CommandLaunch, launchHere, launchThere } from "./command-launch.js";
import type { Confined } from "./confined.js";
import { folderWithFiles } from "./given-files.js";
import { identity, type OpenFolder } from "./open-folder.js";
import { Refused } from "./refused.js";

export interface CommandPlace {
  /** The name of the environment. */
  readonly environment: string;
  /** The folder, in words. */
  readonly folder: string;
  /** True if a sandbox confines whatever runs there. */
  readonly walled: boolean;
  launch(command: string, mode: LaunchMode): Promise<CommandLaunch>;
  /** Until then the folder stays the one that was checked. */
  close(): Promise<void>;
}

export interface HereOptions {
  readonly cwd: string;
  readonly confined: Confined;
  readonly environment: Readonly<Record<string, string>>;
  readonly sandbox: Sandbox | null;
  /** The files that people sent in the conversation, if there are any. */
  readonly files?: GivenFiles | undefined;
}

/** `workdir` as the call names it, if it does. Refuses a folder that is not the one that a person approved. */
export async function placeHere(
  workdir: string | undefined,
  approved: Danger | undefined,
  { cwd, confined, environment, sandbox, files }: HereOptions,
): Promise<CommandPlace> {
  const held = await folderOf(workdir, cwd, confined);
  try {
    await checkApproved(held, approved);
  } catch (error) {
    await held.close();
    throw error;
  }
  const { path, way } = held;
  return {
    environment: THIS_MACHINE,
    folder: path,
    walled: sandbox !== null && sandbox.doubt === null,
    launch: async (command, mode) => {
      const given = files && (await folderWithFiles(files));
      return launchHere(command, { path, way, environment, sandbox, given }, mode);
    },
    close: () => held.close(),
  };
}

export function placeThere(there: CommandEnvironment, workdir: string | undefined): CommandPlace {
  const folder = workdir || there.workdir;
  return {
    environment: there.name,
    folder: folder ?? HOME_THERE,
    walled: false,
    launch: (command, mode) => launchThere(command, there, folder, mode),
    close: async () => {},
  };
}

const HOME_THERE = "its own folder";

/** What would be run where, and how, as after the folder. */
export interface Asked {
  /** As the call names it. */
  readonly folder: string;
  readonly command: string;
  readonly how: string;
}

/** The person sees, and approves, the environment with what it stands for, so a changed setting is asked about again. */
export function dangerThere(
  there: CommandEnvironment,
  { folder, command, how }: Asked,
  reason: string,
): Danger {
  const where = `environment ${there.name}: ${there.where}`;
  return { reason, what: `${command}\n\nin ${folder || there.workdir || HOME_THERE}${how}, ${where}` };
}

/** As the rules for dangerous commands see it: only what is below the folder is the agent's own work. */
export function workPlaceThere(there: CommandEnvironment, workdir: string | null): { folders: string[] } {
  return { folders: [resolve("/home/someone-there", workdir || there.workdir || "")] };
}

interface WorkingFolder {
  readonly path: string;
  /** What the folder is, whatever its name; null if it does not exist. */
  readonly identity: string | null;
}

/** Where a path leads now. */
function nowAt(path: string): WorkingFolder {
  try {
    const real = realpathSync(path);
    return { path: real, identity: identity(statSync(real, { bigint: true })) };
  } catch {
    return { path, identity: null };
  }
}

export function realOf(folder: string): string {
  return nowAt(folder).path;
}

/** These say how a program speaks, and not what runs. */
const SPEAKING = /^(?:LANG|LC_[A-Z]+|TERM|TZ)$/;

/** The person sees, and approves, the folder that is really meant. */
export function dangerHere(
  { folder, command, how }: Asked,
  reason: string,
  environment: Readonly<Record<string, string>>,
): Danger {
  const place = nowAt(folder);
  const isStillSo = (): boolean => {
    const now = nowAt(folder);
    return now.path === place.path && now.identity === place.identity;
  };
  const what = `${command}\n\nin ${place.path}${how}`;
  const variables = Object.fromEntries(Object.entries(environment).filter(([name]) => !SPEAKING.test(name)));
  return { reason, what, variables, isStillSo, place: place.path, identity: place.identity };
}

/** Held open until the command has ended: another command could swap it for a link to anywhere. */
async function folderOf(workdir: string | undefined, cwd: string, confined: Confined): Promise<OpenFolder> {
  if (workdir) return confined.openFolder(workdir, async () => {}); // It may be any of the folders.
  try {
    return await confined.hold(cwd);
  } catch (error) {
    if (error instanceof Refused) throw new Refused(`no shell could be started in ${cwd}: ${error.message}`);
    throw error;
  }
}

/** Checks that the open folder is the one that the person saw. */
async function checkApproved(folder: OpenFolder, approved: Danger | undefined): Promise<void> {
  if (approved?.place === undefined) return;
  if (folder.path === approved.place && (await folder.identity()) === approved.identity) return;
  throw new Refused("not run: the folder has changed since this was approved.");
}
