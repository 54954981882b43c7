/**
 * Creates a private folder, and the missing ones above it. Does not use the recursive `mkdir` of Node.js: it never
 * returns below `/proc` and the like, where nothing can be created and the system says that the parent is missing.
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
    // Try once more, for a folder that exists: it is fine unless it is a file.
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    mkdirSync(path, { recursive: true });
  }
}
