/**
 * Walks a folder and its subfolders level by level, so that near entries come first if the limit is reached. Links are
 * shown but not followed. Whatever is skipped is reported.
 */
import type { BigIntStats } from "node:fs";
import { join } from "node:path";
import type { Check, Confined } from "./confined.js";
import type { OpenFolder } from "./open-folder.js";
import { Refused } from "./refused.js";

export interface FolderEntry {
  readonly name: string;
  /** Relative to the folder where the walk began. */
  readonly way: string;
  readonly stats: BigIntStats;
  /** The folder that contains it, open until the next folder is visited. */
  readonly folder: OpenFolder;
}

export interface Walk {
  /** Checks the first folder and each one below: a folder that does not pass is skipped. */
  readonly check: Check;
  /** Called for each entry, by name within a folder. Returns false to end the walk. */
  readonly visit: (entry: FolderEntry) => Promise<boolean>;
  /** True to look into a folder. */
  readonly enter: (entry: FolderEntry, depth: number) => boolean;
  /** Called with what was skipped, in a few words. */
  readonly leftOut: (what: string) => void;
}

/** The most entries of one folder that are read. */
const MOST_IN_FOLDER = 10_000;

/** Returns the path of the folder where it began. */
export async function walkFolder(confined: Confined, start: string, walk: Walk): Promise<string> {
  let root: string | null = null;
  const waiting: { path: string; way: string; depth: number }[] = [{ path: start, way: "", depth: 1 }];
  for (let next = waiting.shift(); next; next = waiting.shift()) {
    const { path, way, depth } = next;
    const folder = await openIt(confined, path, root !== null, walk);
    if (!folder) continue;
    root ??= folder.path;
    try {
      const { names, more } = await folder.names(MOST_IN_FOLDER);
      if (more) walk.leftOut(`entries of ${folder.path} after the first ${MOST_IN_FOLDER}`);
      for (const name of names.sort(byName)) {
        const stats = await lookAt(folder, name, walk);
        if (!stats) continue;
        const entry = { name, way: join(way, name), stats, folder };
        if (!(await walk.visit(entry))) return root;
        if (stats.isDirectory() && walk.enter(entry, depth)) {
          waiting.push({ path: join(folder.path, name), way: entry.way, depth: depth + 1 });
        }
      }
    } finally {
      await folder.close();
    }
  }
  return root ?? start;
}

/** A subfolder that can't be opened is skipped; the first folder must open. */
async function openIt(
  confined: Confined,
  path: string,
  below: boolean,
  walk: Walk,
): Promise<OpenFolder | null> {
  try {
    return await confined.openFolder(path, walk.check);
  } catch (error) {
    if (!below || !(error instanceof Refused)) throw error;
    walk.leftOut(error.message);
    return null;
  }
}

async function lookAt(folder: OpenFolder, name: string, walk: Walk): Promise<BigIntStats | null> {
  try {
    const stats = await folder.look(name);
    if (!stats)
      walk.leftOut(
        `${JSON.stringify(name)} in ${folder.path}, which is gone or has a name that is not UTF-8`,
      );
    return stats;
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    walk.leftOut(error.message);
    return null;
  }
}

function byName(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
