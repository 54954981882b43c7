/** What the build put into a file of dist/. */
import { readFileSync } from "node:fs";

/** The modules that are inside, by their paths: the build writes a comment before each. */
export function modulesIn(file: string): string[] {
  const comments = readFileSync(file, "utf8").matchAll(/^\/\/ (\S+\.[cm]?js)$/gm);
  return [...comments].map(([, path = ""]) => path);
}
