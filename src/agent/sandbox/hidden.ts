/**
 * What no command sees. If only a file were hidden, a new file with the same name would be visible, because the mask is
 * on the old one: a renewed token, a journal of the database. So its folder is hidden. If commands must see that
 * folder, the sandbox has a gap, and Baton runs no commands.
 */
import { dirname, join } from "node:path";
import { isWithin } from "../../util/within.js";
import type { SandboxLayout } from "./bubblewrap.js";
import { KEY_PLACES } from "./key-places.js";
import { isFolder, realPath } from "./real-path.js";
import type { Walls } from "./sandbox.js";

type HiddenPath = SandboxLayout["hidden"][number];

/** `shown`: the folders that commands see, with links resolved. */
export function hiddenOf({ hidden, home }: Walls, shown: readonly string[]): readonly HiddenPath[] {
  const places = [...hidden.map((path) => placeOf(path, shown)), ...KEY_PLACES.map((key) => join(home, key))];
  const real = new Set(places.flatMap((place) => realPath(place) ?? []));
  return [...real].map((path) => ({ kind: isFolder(path) ? "folder" : "file", path }));
}

/** The first file that a command could see, or null. */
export function gapIn(hidden: readonly string[], shown: readonly string[]): string | null {
  return hidden.find((path) => !isFolder(path) && shown.includes(folderAbove(path))) ?? null;
}

/** The file or folder to hide because of a path. */
function placeOf(path: string, shown: readonly string[]): string {
  if (isFolder(path)) return path;
  const folder = folderAbove(path);
  return coverOf(shown, folder) === undefined || shown.includes(folder) ? path : folder;
}

/** The folder of a file or, if that does not exist, the one in which it would be created. */
function folderAbove(path: string): string {
  let above = dirname(realPath(path) ?? path);
  while (above !== "/" && realPath(above) === null) above = dirname(above);
  return realPath(above) ?? above;
}

export function coverOf(shown: readonly string[], path: string): string | undefined {
  return shown.find((folder) => isWithin(folder, path));
}

/** Drops entries that are inside a hidden folder anyway. */
export function outermost(hidden: readonly HiddenPath[]): HiddenPath[] {
  const folders = new Set(hidden.flatMap(({ kind, path }) => (kind === "folder" ? [path] : [])));
  const isCovered = (path: string): boolean => {
    for (let at = dirname(path); ; at = dirname(at)) {
      if (folders.has(at)) return true;
      if (at === dirname(at)) return false;
    }
  };
  return hidden.filter(({ path }) => !isCovered(path));
}
