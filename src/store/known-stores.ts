/**
 * Which SQLite files a home folder has had its store in. A file that is gone, or empty, is then known to be lost and is
 * not begun anew without a word. The list stands in the home folder, not beside the store: a disk that is not mounted
 * takes both along.
 */
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileProblem } from "../util/file-problem.js";
import { makeFolder } from "../util/make-folder.js";

export function knownStoresFile(home: string): string {
  return join(home, "known-stores.json");
}

export function isKnownStore(home: string, path: string): boolean {
  return knownStores(home).includes(path);
}

/** To be called once the store was opened. */
export function rememberStore(home: string, path: string): void {
  const known = knownStores(home);
  if (known.includes(path)) return;
  const file = knownStoresFile(home);
  const beside = `${file}.${process.pid}.tmp`;
  try {
    makeFolder(home);
    writeFileSync(beside, `${JSON.stringify([...known, path], null, 2)}\n`, { mode: 0o600 });
    renameSync(beside, file);
  } catch (error) {
    rmSync(beside, { force: true });
    if (fileProblem(error) === null) throw error; // A home that cannot be written is no reason to leave the store alone.
  }
}

/** A list that cannot be read is none: it guards against a loss, and is not to be the cause of one. */
function knownStores(home: string): string[] {
  try {
    const known: unknown = JSON.parse(readFileSync(knownStoresFile(home), "utf8"));
    return Array.isArray(known) ? known.filter((path) => typeof path === "string") : [];
  } catch {
    return [];
  }
}
