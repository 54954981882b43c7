/**
 * The files below a folder, for completing a path after `@`. They are looked up in the background and never for long.
 * Links are left out, and so are folders that nobody means, such as `node_modules`.
 */
import { readdir, realpath } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "../../util/clock.js";
import { isWithin } from "../../util/within.js";
import type { Completion } from "./completion.js";

export interface FileNamesOptions {
  readonly folder: string;
  readonly clock: Clock;
  /** There is more to complete with. */
  readonly onArrived: () => void;
}

const MOST_PATHS = 5_000;
const LONGEST_MS = 500;
const MOST_SHOWN = 50;
/** How many characters a part in the middle must have to count. */
const LEAST_PART = 2;
const LEFT_OUT: ReadonlySet<string> = new Set(["node_modules", ".git"]);

export class FileNames {
  readonly #options: FileNamesOptions;
  /** The paths below each folder that was looked into, relative to it; those of folders end with a slash. */
  readonly #found = new Map<string, readonly string[]>();
  #lookedInto: string | null = null;
  /** The beginning that was completed last. */
  #begun: string | null = null;

  constructor(options: FileNamesOptions) {
    this.#options = options;
  }

  /** `begun`: the beginning of a path, as it is written after the `@`. */
  complete(begun: string): readonly Completion[] {
    const isQuoted = begun.startsWith('"');
    const path = isQuoted ? begun.slice(1) : begun;
    const folder = path.slice(0, path.lastIndexOf("/") + 1);
    if (folder.startsWith("/") || folder.split("/").includes("..")) return [];
    const isNew = begun === "" && this.#begun !== "";
    this.#begun = begun;
    if (isNew || this.#lookedInto !== folder) this.#lookInto(folder);
    const fitting = pathsFor(path.slice(folder.length), this.#found.get(folder) ?? []);
    return fitting.map((each) => completionOf(folder + each, isQuoted));
  }

  /** A folder that can't be read has nothing to complete. */
  #lookInto(folder: string): void {
    this.#lookedInto = folder;
    pathsBelow(this.#options.folder, folder, this.#options.clock)
      .then((paths) => {
        this.#found.set(folder, paths);
        this.#options.onArrived();
      })
      .catch(() => {});
  }
}

/** Those that begin so, then those whose own name does, then those that have it somewhere; the nearest first. Pure. */
export function pathsFor(begun: string, paths: readonly string[]): readonly string[] {
  const wanted = begun.toLowerCase();
  const rank = (path: string): number | null => {
    if (hasHidden(path) && !begun.startsWith(".")) return null;
    const lower = path.toLowerCase();
    if (isDirect(path) && lower.startsWith(wanted)) return 0;
    if (wanted.length < LEAST_PART) return null;
    if (lower.startsWith(wanted)) return 1;
    if (nameIn(lower).startsWith(wanted)) return 2;
    return lower.includes(wanted) ? 3 : null;
  };
  return paths
    .flatMap((path) => {
      const place = rank(path);
      return place === null ? [] : [{ path, place }];
    })
    .sort((a, b) => a.place - b.place)
    .slice(0, MOST_SHOWN)
    .map(({ path }) => path);
}

function nameIn(path: string): string {
  return path.slice(path.lastIndexOf("/", path.length - 2) + 1);
}

function isDirect(path: string): boolean {
  return nameIn(path) === path;
}

function hasHidden(path: string): boolean {
  return path.startsWith(".") || path.includes("/.");
}

function completionOf(path: string, isQuoted: boolean): Completion {
  const isFolder = path.endsWith("/");
  const needsQuotes = isQuoted || /\s/.test(path);
  const text = needsQuotes ? `@"${path}${isFolder ? "" : '"'}` : `@${path}`;
  return { text, label: path, description: isFolder ? "folder" : "", goesOn: isFolder };
}

/** Folder by folder, the nearest first, as long as it may take. */
async function pathsBelow(root: string, start: string, clock: Clock): Promise<readonly string[]> {
  const [top, from] = await Promise.all([realpath(root), realpath(join(root, start))]);
  if (!isWithin(top, from)) return [];
  const until = clock() + LONGEST_MS;
  const paths: string[] = [];
  const waiting = [""];
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    if (paths.length >= MOST_PATHS || clock() > until) break;
    const entries = await readdir(join(from, next), { withFileTypes: true }).catch(() => []);
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      if (LEFT_OUT.has(entry.name) || /[\p{Cc}"]/u.test(entry.name)) continue;
      if (entry.isFile()) paths.push(next + entry.name);
      if (!entry.isDirectory()) continue;
      paths.push(`${next}${entry.name}/`);
      if (!entry.name.startsWith(".")) waiting.push(`${next}${entry.name}/`);
    }
  }
  return paths.slice(0, MOST_PATHS);
}
