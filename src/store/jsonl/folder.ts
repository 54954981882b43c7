/** The files of an imported folder: regular ones, directly in it. Links and pipes are named as problems and not read. */
import { readdir } from "node:fs/promises";
import { basename, join } from "node:path";
import type { Problems } from "./problems.js";
import type { TranscriptFile } from "./transcript-file.js";

const EXTENSION = ".jsonl";
/** In the name of a transcript of OpenClaw that `/new` or `/reset` put away. */
export const PUT_AWAY = ".jsonl.reset.";
/** Databases by the names that programs give them. */
export const DATABASES: readonly string[] = ["state.db", "openclaw-agent.sqlite"];

export const NOT_FOLLOWED =
  "It is a symbolic link, and Baton does not follow it. To import its target, give the path of the target.";

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
  for (const entry of entries) {
    if (entry.isFile() || entry.isDirectory() || !mayHoldSessions(entry.name)) continue;
    const why = entry.isSymbolicLink() ? NOT_FOLLOWED : "It is not a regular file.";
    problems.add(called(entry.name), null, why);
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

function mayHoldSessions(name: string): boolean {
  return /\.jsonl?$/.test(name) || name.includes(PUT_AWAY) || DATABASES.includes(name);
}

/** The file's name without its extension. */
export function stemOf(file: TranscriptFile): string {
  const name = basename(file.path);
  return (name.endsWith(EXTENSION) && name.slice(0, -EXTENSION.length)) || name;
}
