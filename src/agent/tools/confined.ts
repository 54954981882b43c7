/**
 * The folders that file tools may use, and the only way into them. What holds:
 * - a path is walked from its folder, one name at a time. Each name is opened without following links, relative to the
 *   descriptor of the folder before it. A link is read, and its target is walked from the start, so it is followed only
 *   if it stays inside. A folder that is swapped for a link in the meantime leads nowhere;
 * - only files and folders are opened, never a device or a pipe;
 * - Baton's own files are recognised by identity, whatever name leads to them, and before they are opened;
 * - a file is replaced as a whole: a new one is written beside it and takes its name.
 */
import { type BigIntStats, existsSync } from "node:fs";
import { realpath, stat } from "node:fs/promises";
import { isAbsolute, join, relative, resolve } from "node:path";
import { attempt, checkFile, identity, type OpenFile, OpenFolder } from "./open-folder.js";
import { Refused } from "./refused.js";

export interface ConfinedOptions {
  /** Absolute paths of the folders. */
  readonly folders: readonly string[];
  /** The absolute path from which relative ones start. */
  readonly base: string;
  /** Absolute paths of files and folders that are never touched, wherever they are. */
  readonly forbidden: readonly string[];
  /** One of the folders that tools may use although it is inside a forbidden one. */
  readonly granted?: string;
  /** The user's home folder, to recognise its keys; absent if there is none. */
  readonly home?: string;
  /** True if names are opened relative to descriptors; by default if the system supports it. */
  readonly byDescriptor?: boolean;
}

/** Where a path leads, with links resolved. */
export interface ConfinedPath {
  readonly path: string;
  readonly isFolder: boolean;
  /** Null for the folders themselves, and if nothing exists there yet. */
  readonly stats: BigIntStats | null;
}

/** Checks what was reached before it is used; throws to prevent that. */
export type Check = (place: ConfinedPath) => Promise<void>;

const CAN_USE_DESCRIPTORS = process.platform === "linux" && existsSync("/proc/self/fd");
const MOST_LINKS = 40;
const LONGEST_PATH = 4_096;

export class Confined {
  readonly #options: ConfinedOptions;
  readonly #byDescriptor: boolean;
  /** Where each folder really is, once known; folders do not move afterwards. */
  readonly #real = new Map<string, string>();

  constructor(options: ConfinedOptions) {
    this.#options = options;
    this.#byDescriptor = options.byDescriptor ?? CAN_USE_DESCRIPTORS;
  }

  get folders(): readonly string[] {
    return [...this.#options.folders, ...this.#real.values()];
  }

  /** The same with one more folder, which may be one of Baton's own. */
  granting(folder: string): Confined {
    const folders = [...this.#options.folders, folder];
    return new Confined({ ...this.#options, folders, granted: folder, byDescriptor: this.#byDescriptor });
  }

  get home(): string | null {
    return this.#options.home ?? null;
  }

  /** Where a path leads now; null if it can't be used at all. */
  async whereIs(written: string): Promise<(ConfinedPath & { readonly isAsWritten: boolean }) | null> {
    try {
      const { folder, name, stats } = await this.#reach(written, "tell");
      await folder.close();
      const path = name === null ? folder.path : join(folder.path, name);
      const isFolder = name === null || stats?.isDirectory() === true;
      return { path, isFolder, stats, isAsWritten: path === this.#absolute(written) };
    } catch (error) {
      if (error instanceof Refused) return null;
      throw error;
    }
  }

  /** Opens a file for reading. */
  async openFile(written: string, check: Check): Promise<OpenFile> {
    const { folder, name } = await this.#reach(written, "refuse");
    try {
      if (name === null)
        throw new Refused(`${folder.path} is a folder. Use list_files to see what is in it.`);
      return await checked(await folder.openFile(name), check);
    } finally {
      await folder.close();
    }
  }

  /** Opens a folder to list it. */
  async openFolder(written: string, check: Check): Promise<OpenFolder> {
    const { folder, name } = await this.#reach(written, "refuse");
    try {
      await check({ path: join(folder.path, name ?? ""), isFolder: true, stats: null });
      if (name === null) return folder;
      const inner = await folder.openFolder(name);
      await folder.close();
      return inner;
    } catch (error) {
      await folder.close();
      throw error;
    }
  }

  /** Holds open a folder that a setting names: it may belong to Baton, and be outside the folders. */
  async hold(path: string): Promise<OpenFolder> {
    const real = await attempt(path, () => realpath(path));
    return OpenFolder.at(real, new Set(), this.#byDescriptor);
  }

  /**
   * Writes a whole file, and creates the folders above it. `seen` is its state when it was read: if it has changed
   * since, nothing is written. Returns the file's path, and what was there before.
   */
  async replaceFile(
    written: string,
    content: Uint8Array,
    check: Check,
    seen?: BigIntStats,
  ): Promise<{ path: string; before: BigIntStats | null }> {
    const first = await this.whereIs(written);
    if (first) await check(first); // Before any folder is made.
    const { folder, name, stats } = await this.#reach(written, "make");
    try {
      if (name === null) throw new Refused(`${folder.path} is a folder, not a file.`);
      const path = join(folder.path, name);
      if (stats) checkFile(path, stats);
      await check({ path, isFolder: false, stats });
      if (stats && (stats.mode & 0o222n) === 0n) throw new Refused(`${path} is read-only.`);
      await folder.replace(name, content, stats, seen);
      return { path, before: stats };
    } finally {
      await folder.close();
    }
  }

  /** The folder that contains the end of a path, the last name there, and what it is: never a link. */
  async #reach(written: string, missing: Missing): Promise<Reached> {
    let path = this.#absolute(written);
    const own = await identitiesOf(this.#options.forbidden);
    for (let links = 0; links <= MOST_LINKS; links++) {
      const { root, names } = await this.#rootOf(path, written);
      const folder = await OpenFolder.at(root, own, this.#byDescriptor);
      const reached = await descend(folder, names, missing);
      if (typeof reached !== "string") return reached;
      path = reached;
    }
    throw new Refused(`${show(written)} goes through too many links.`);
  }

  #absolute(written: string): string {
    const wrong = whatIsWrongWith(written);
    if (wrong) throw new Refused(`the path ${show(written)} ${wrong}`);
    return resolve(this.#options.base, written);
  }

  /** The folder that contains a path, and the names from there on. */
  async #rootOf(path: string, written: string): Promise<{ root: string; names: string[] }> {
    const { folders, forbidden, granted } = this.#options;
    for (const folder of folders) {
      const real = await this.#realOf(folder);
      const below = real === null ? null : (namesBelow(real, path) ?? namesBelow(folder, path));
      if (real === null || below === null) continue;
      for (const own of folder === granted ? [] : forbidden) {
        if (namesBelow(await realpath(own).catch(() => own), real))
          throw new Refused(`${real} belongs to Baton, and tools may not use it.`);
      }
      return { root: real, names: below };
    }
    const list = folders.join(", ") || "none";
    throw new Refused(`${show(written)} is outside the folders that tools may use: ${list}.`);
  }

  async #realOf(folder: string): Promise<string | null> {
    const known = this.#real.get(folder);
    if (known !== undefined) return known;
    const real = await realpath(folder).catch(() => null);
    if (real !== null) this.#real.set(folder, real);
    return real;
  }
}

/** What to do about missing folders on the way: `tell` returns the rest of the path as the name. */
type Missing = "refuse" | "make" | "tell";

interface Reached {
  readonly folder: OpenFolder;
  /** Null if the path is one of the folders itself. */
  readonly name: string | null;
  /** Null if there is nothing by that name. */
  readonly stats: BigIntStats | null;
}

/** Walks down, and closes the folders that it leaves. Returns a path to continue with if it meets a link. */
async function descend(
  from: OpenFolder,
  names: readonly string[],
  missing: Missing,
): Promise<Reached | string> {
  let folder = from;
  try {
    for (const [index, name] of names.entries()) {
      const isLast = index === names.length - 1;
      const stats = await folder.look(name);
      if (stats?.isSymbolicLink()) {
        const target = await folder.linkTarget(name);
        const path = resolve(folder.path, target, ...names.slice(index + 1));
        await folder.close();
        return path;
      }
      if (isLast) return { folder, name, stats };
      if (!stats && missing === "tell") return { folder, name: join(...names.slice(index)), stats };
      if (!stats && missing === "refuse") throw new Refused(`there is no folder ${join(folder.path, name)}.`);
      if (!stats) await folder.makeFolder(name);
      const next = await folder.openFolder(name);
      await folder.close();
      folder = next;
    }
    return { folder, name: null, stats: null };
  } catch (error) {
    await folder.close();
    throw error;
  }
}

/** Returns the file if it passes the check; closes it otherwise. */
export async function checked(file: OpenFile, check: Check): Promise<OpenFile> {
  try {
    await check({ path: file.path, isFolder: false, stats: file.stats });
    return file;
  } catch (error) {
    await file.handle.close();
    throw error;
  }
}

/** Why a path is invalid, or null. The walk decides where it leads. */
function whatIsWrongWith(written: string): string | null {
  if (written === "") return "is empty.";
  if (written.length > LONGEST_PATH) return "is too long.";
  if (/[\u0000-\u001f\u007f]/.test(written)) return "contains a control character.";
  if (!written.isWellFormed()) return "is not well-formed text.";
  if (/^~[^/]*(?:\/|$)/.test(written))
    return "begins with ~, which does not work here. Write the whole path.";
  if (written.includes("\\") || /^[a-z]:/i.test(written))
    return "uses the wrong separator. Separate names with /.";
  return null;
}

/** The names from a folder down to a path; null if the path is not below. Works on texts only. */
function namesBelow(folder: string, path: string): string[] | null {
  const way = relative(folder, path);
  if (way === "") return [];
  return way === ".." || way.startsWith("../") || isAbsolute(way) ? null : way.split("/");
}

async function identitiesOf(paths: readonly string[]): Promise<ReadonlySet<string>> {
  const found = await Promise.all(paths.map((path) => stat(path, { bigint: true }).catch(() => null)));
  return new Set(found.flatMap((stats) => (stats ? [identity(stats)] : [])));
}

/** The path as it was given, safe to show. */
function show(written: string): string {
  return JSON.stringify(written.length > 200 ? `${written.slice(0, 200)}…` : written);
}
