/** The config files of a run, and which of them are there. */
import { lstatSync } from "node:fs";
import { join } from "node:path";
import type { Environment } from "./environment.js";

export interface ConfigFile {
  readonly kind: "project" | "home";
  readonly path: string;
  readonly exists: boolean;
}

/** Weakest first. */
export function configFiles({ home }: Environment, workingFolder: string): ConfigFile[] {
  const file = (kind: ConfigFile["kind"], path: string) => ({ kind, path, exists: isThere(path) });
  return [file("project", join(workingFolder, "baton.yaml")), file("home", homePath(home))];
}

export function homePath(home: string): string {
  return join(home, "config.yaml");
}

/** What cannot be looked at counts as there: reading it then fails, rather than passing for absent. */
function isThere(path: string): boolean {
  try {
    lstatSync(path);
    return true;
  } catch (error) {
    return !["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "");
  }
}
