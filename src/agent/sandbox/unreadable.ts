/**
 * What not every user may read, in folders that commands see. What holds:
 * - a folder is read again only after it has changed, so that checking thousands of files again costs little. (If only
 *   the mode of a file changes, that is noticed when something else changes beside it.)
 * - only so many entries are read; a folder that was not read is hidden.
 */
import { lstatSync, readdirSync, type Stats } from "node:fs";
import { join } from "node:path";
import type { SandboxLayout } from "./bubblewrap.js";
import { unlessOutOfReach } from "./real-path.js";

interface KnownFolder {
  /** The state of the folder when it was read. */
  readonly state: string;
  readonly folders: readonly string[];
  readonly secret: readonly string[];
  readonly entries: number;
}

const MOST_ENTRIES = 300_000;

export class Unreadable {
  readonly #most: number;
  #known = new Map<string, KnownFolder>();

  constructor(most = MOST_ENTRIES) {
    this.#most = most;
  }

  in(folders: readonly string[]): SandboxLayout["hidden"] {
    const found: { kind: "file" | "folder"; path: string }[] = [];
    const waiting = [...folders];
    let entries = 0;
    for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
      const stats = statsOf(path);
      if (!stats?.isDirectory()) continue; // Gone in the meantime: nothing to hide.
      const isOpen = (stats.mode & 0o005) === 0o005 || folders.includes(path);
      if (!isOpen || entries >= this.#most) {
        found.push({ kind: "folder", path });
        continue;
      }
      const known = this.#look(path, stats);
      entries += known.entries;
      waiting.push(...known.folders);
      for (const secret of known.secret) found.push({ kind: "file", path: secret });
    }
    return found;
  }

  #look(folder: string, { dev, ino, mtimeMs, ctimeMs }: Stats): KnownFolder {
    const state = [dev, ino, mtimeMs, ctimeMs].join(" ");
    const before = this.#known.get(folder);
    if (before?.state === state) return before;
    const entries = unlessOutOfReach(() => readdirSync(folder, { withFileTypes: true }), []);
    const folders: string[] = [];
    const secret: string[] = [];
    for (const entry of entries) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) folders.push(path);
      else if (!entry.isSymbolicLink() && ((statsOf(path)?.mode ?? 0o004) & 0o004) === 0) secret.push(path);
    }
    const known = { state, folders, secret, entries: entries.length };
    this.#known.set(folder, known);
    return known;
  }
}

function statsOf(path: string): Stats | undefined {
  return unlessOutOfReach(() => lstatSync(path), undefined);
}
