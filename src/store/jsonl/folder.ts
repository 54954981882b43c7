/** The files of an imported folder: regular ones, directly in it. Links are named as problems and not followed. */
import { readdir } from "node:fs/promises";
import { basename, join } from "node:path";
import type { Problems } from "./problems.js";
import type { TranscriptFile } from "./transcript-file.js";

const EXTENSION = ".jsonl";

export interface Folder {
  readonly path: string;
  /** What problems call a file in it. */
  called(name: string): string;
  /** By name, in a fixed order. */
  readonly transcripts: readonly TranscriptFile[];
  /** All files. */
  readonly names: ReadonlySet<string>;
}

/** `within` is where it is in the folder that was given. */
export async function readFolder(path: string, within: string, problems: Problems): Promise<Folder> {
  const called = (name: string) => join(within, name);
  const entries = (await readdir(path, { withFileTypes: true })).sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const { name } of entries.filter((entry) => entry.isSymbolicLink())) {
    if (name.endsWith(EXTENSION) || name.endsWith(".json")) {
      problems.add(called(name), null, "It is a symbolic link and was not followed.");
    }
  }
  const names = new Set(entries.filter((entry) => entry.isFile()).map(({ name }) => name));
  const transcripts = [...names].filter((name) => name.endsWith(EXTENSION));
  return {
    path,
    called,
    transcripts: transcripts.map((name) => ({ name: called(name), path: join(path, name) })),
    names,
  };
}

/** The file's name without its extension. */
export function stemOf(file: TranscriptFile): string {
  const name = basename(file.path);
  return (name.endsWith(EXTENSION) && name.slice(0, -EXTENSION.length)) || name;
}
