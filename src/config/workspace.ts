/**
 * Where the agent works if no setting says so. In a terminal that is the folder where Baton was started, as people expect
 * of a project; but never the whole home folder, Baton's own or the system's: then it is the workspace, a folder of its own.
 */
import { join } from "node:path";
import { makeFolder } from "../util/make-folder.js";
import { isWithin } from "../util/within.js";
import { userFolder } from "./paths.js";

const SYSTEM = ["bin", "boot", "dev", "etc", "lib", "lib64", "proc", "run", "sbin", "sys", "usr"];

export function workspace(userHome: string = userFolder()): string {
  return join(userHome, "baton-workspace");
}

export function usualWorkdir(
  workingFolder: string,
  batonHome: string,
  userHome: string = userFolder(),
): string {
  const isUnfit =
    isWithin(workingFolder, userHome) ||
    isWithin(batonHome, workingFolder) ||
    SYSTEM.some((name) => isWithin(`/${name}`, workingFolder));
  return isUnfit ? workspace(userHome) : workingFolder;
}

/** Makes the workspace, private, when it is first used; other folders are their owner's to make. */
export function makeWorkspace(workdir: string): void {
  if (workdir === workspace()) makeFolder(workdir);
}
