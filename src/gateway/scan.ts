/** Looks for a person who was erased in files, read as streams. */
import { createReadStream } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Fingerprints } from "../util/fingerprints.js";

export interface ScannedFile {
  readonly file: string;
  readonly bytes: number;
  /** How many passages and ids of theirs it has. */
  readonly found: number;
}

type ReadPieces = (file: string) => AsyncIterable<Buffer>;

/** A file that does not exist, or is gone meanwhile, has nothing. */
export async function scanFiles(
  files: readonly string[],
  fingerprints: Fingerprints,
  read: ReadPieces = readHere,
): Promise<ScannedFile[]> {
  const scanned: ScannedFile[] = [];
  for (const file of files) {
    const reading = fingerprints.reading();
    try {
      for await (const chunk of read(file)) reading.read(chunk);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    }
    reading.end();
    scanned.push({ file, bytes: reading.bytes, found: reading.found });
  }
  return scanned;
}

async function* readHere(file: string): AsyncGenerator<Buffer> {
  yield* createReadStream(file, { highWaterMark: 2 ** 20 }) as AsyncIterable<Buffer>;
}

/** The regular files below a folder; none if there is no such folder. */
export async function filesBelow(folder: string): Promise<string[]> {
  try {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath ?? entry.path, entry.name));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}
