/**
 * The files that a message names with `@path`, which go with it. Only files in the working folder or below it, with all
 * links followed: a pasted text must not send others. What names no such file stays text: `@ann`, `@types/node`.
 */
import { realpath, stat } from "node:fs/promises";
import { relative, resolve } from "node:path";
import { isWithin } from "../../util/within.js";

const MOST_FILES = 10;
const MOST_NAMES = 100;
const MOST_READINGS = 4;
/** What may stand behind a path and is no part of it. */
const AFTER = /[.,;:!?)\]}>'"`]$/;

export interface NamedFile {
  /** With all links followed. */
  readonly path: string;
  /** From the working folder. */
  readonly name: string;
}

/** What stands behind each `@` that begins a word: the ways to read it as a path, the longest first. Pure. */
export function namesIn(text: string): readonly (readonly string[])[] {
  return [...text.matchAll(/(?<![^\s([{"'`])@(?:"([^"\n]{1,1000})"|([^\s"]{1,1000}))/g)]
    .slice(0, MOST_NAMES)
    .map(([, quoted, bare = ""]) => (quoted === undefined ? readings(bare) : [quoted]));
}

function readings(bare: string): readonly string[] {
  const ways = [bare];
  for (let rest = bare; AFTER.test(rest) && ways.length < MOST_READINGS; ways.push(rest))
    rest = rest.slice(0, -1);
  return ways.filter((way) => way !== "");
}

/** Each file once, in the order in which they are named. */
export async function namedFiles(text: string, folder: string): Promise<readonly NamedFile[]> {
  const names = namesIn(text);
  if (names.length === 0) return [];
  const top = await realpath(folder).catch(() => null);
  if (top === null) return [];
  const found = new Map<string, NamedFile>();
  for (const ways of names) {
    const file = await firstFile(ways, top);
    if (file) found.set(file.path, file);
    if (found.size === MOST_FILES) break;
  }
  return [...found.values()];
}

async function firstFile(ways: readonly string[], top: string): Promise<NamedFile | null> {
  for (const way of ways) {
    const path = await realpath(resolve(top, way)).catch(() => null);
    if (path === null || !isWithin(top, path)) continue;
    if ((await stat(path).catch(() => null))?.isFile()) return { path, name: relative(top, path) };
  }
  return null;
}
