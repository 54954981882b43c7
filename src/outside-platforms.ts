/**
 * Platforms that other packages bring to the command line: the modules in the `platforms` folder of the home folder. Each
 * exports a function, which is given what the library exports and registers its platform. They run with Baton's rights,
 * so nobody else may be able to change them. One that fails does not keep the others from it.
 */
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type * as library from "./index.js";
import { fileReason, refuseOtherKinds } from "./util/file-problem.js";

interface PlatformModule {
  readonly default: (baton: typeof library) => void | Promise<void>;
}

/** Why some could not be loaded, in sentences. */
export async function loadOutsidePlatforms(home: string): Promise<string[]> {
  const folder = join(home, "platforms");
  if (!existsSync(folder)) return []; // Also if the home folder can't be read: the settings are missed there, too.
  let files: readonly string[];
  try {
    files = modulesIn(folder);
  } catch (error) {
    return [`Can't read ${folder}: ${fileReason(error)}.`];
  }
  const problems: string[] = [];
  for (const file of files) {
    try {
      for (const path of [folder, file]) refuseOthers(path);
      refuseOtherKinds(statSync(file));
      const { default: bring } = (await import(pathToFileURL(file).href)) as PlatformModule;
      if (typeof bring !== "function") throw new Error("it has no function as its default export");
      await bring(await import("./index.js"));
    } catch (error) {
      problems.push(`${file} brings no platform: ${(error as Error).message.replace(/\.$/, "")}.`);
    }
  }
  return problems;
}

function modulesIn(folder: string): string[] {
  const names = readdirSync(folder).filter((name) => /\.m?js$/.test(name));
  return names.sort().map((name) => join(folder, name));
}

function refuseOthers(path: string): void {
  if ((statSync(path).mode & 0o022) !== 0) {
    throw new Error(`other users can change ${path}. Make it yours: chmod go-w '${path}'`);
  }
}
