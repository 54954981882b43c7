/**
 * What no command sees. A file that is hidden by itself comes to light as soon as another takes its name, since the mask is
 * on the old one: a token that is renewed, a journal of the database. So the folder that it lies in is hidden. If that is
 * one which commands must see, the sandbox has a gap, and no command is run.
 */
import { dirname, join } from "node:path";
import { isWithin } from "../../util/within.js";
import type { Layout } from "./bubblewrap.js";
import { KEY_PLACES } from "./key-places.js";
import { isFolder, realPath } from "./real-path.js";
import type { Walls } from "./sandbox.js";

type Hidden = Layout["hidden"][number];

/** `shown`: the folders that commands see, as they really are. */
export function hiddenOf({ hidden, home }: Walls, shown: readonly string[]): readonly Hidden[] {
  const places = [...hidden.map((path) => placeOf(path, shown)), ...KEY_PLACES.map((key) => join(home, key))];
  const real = new Set(places.flatMap((place) => realPath(place) ?? []));
  return [...real].map((path) => ({ kind: isFolder(path) ? "folder" : "file", path }));
}

/** The first file that could come to light, or null. */
export function gapIn(hidden: readonly string[], shown: readonly string[]): string | null {
  return hidden.find((path) => !isFolder(path) && shown.includes(folderAbove(path))) ?? null;
}

/** What is hidden for the sake of a path. */
function placeOf(path: string, shown: readonly string[]): string {
  if (isFolder(path)) return path;
  const folder = folderAbove(path);
  return coverOf(shown, folder) === undefined || shown.includes(folder) ? path : folder;
}

/** The folder that a file lies in or, while that is not there, the one in which it would be made. */
function folderAbove(path: string): string {
  let above = dirname(realPath(path) ?? path);
  while (above !== "/" && realPath(above) === null) above = dirname(above);
  return realPath(above) ?? above;
}

export function coverOf(shown: readonly string[], path: string): string | undefined {
  return shown.find((folder) => isWithin(folder, path));
}

/** Without what lies in a folder that is hidden anyway. */
export function outermost(hidden: readonly Hidden[]): Hidden[] {
  const folders = new Set(hidden.flatMap(({ kind, path }) => (kind === "folder" ? [path] : [])));
  const isCovered = (path: string): boolean => {
    for (let at = dirname(path); ; at = dirname(at)) {
      if (folders.has(at)) return true;
      if (at === dirname(at)) return false;
    }
  };
  return hidden.filter(({ path }) => !isCovered(path));
}
