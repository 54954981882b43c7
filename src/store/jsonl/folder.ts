/** The files of an imported folder: regular ones, directly in it. Links are named as problems and not followed. */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Problems } from "./problems.js";
import type { TranscriptFile } from "./transcript-file.js";

const EXTENSION = ".jsonl";

export interface Folder {
  readonly path: string;
  /** By name, in a fixed order. */
  readonly transcripts: readonly TranscriptFile[];
  has(name: string): boolean;
}

export async function readFolder(path: string, problems: Problems): Promise<Folder> {
  const entries = (await readdir(path, { withFileTypes: true })).sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const { name } of entries.filter((entry) => entry.isSymbolicLink())) {
    if (name.endsWith(EXTENSION) || name.endsWith(".json")) {
      problems.add(name, null, "It is a symbolic link and was not followed.");
    }
  }
  const names = new Set(entries.filter((entry) => entry.isFile()).map(({ name }) => name));
  const transcripts = [...names].filter((name) => name.endsWith(EXTENSION));
  return {
    path,
    transcripts: transcripts.map((name) => ({ name, path: join(path, name) })),
    has: (name) => names.has(name),
  };
}

/** The file's name without its extension. */
export function stemOf(file: TranscriptFile): string {
  return (file.name.endsWith(EXTENSION) && file.name.slice(0, -EXTENSION.length)) || file.name;
}
