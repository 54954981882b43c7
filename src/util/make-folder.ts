/**
 * Makes a private folder, and those above it that are missing. Not by the recursive `mkdir` of Node.js: below `/proc` and
 * the like, where nothing can be made and the system says that the folder above is missing, that one never returns.
 */
import { chmodSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";

export function makeFolder(path: string): void {
  try {
    makeOne(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "ENOENT" || dirname(path) === path) throw error;
    makeFolder(dirname(path));
    makeOne(path);
  }
}

function makeOne(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 });
    chmodSync(path, 0o700);
  } catch (error) {
    // Once more, for what is there already: it is as it is, unless it is a file.
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    mkdirSync(path, { recursive: true });
  }
}
