/**
 * Results that are delivered to this machine: one file each, `<folder>/<job>/<UTC time>.md`, private, whole or not there
 * at all, and never one in place of another.
 */
import { createHash, randomBytes } from "node:crypto";
import { link, open, rm } from "node:fs/promises";
import { join } from "node:path";
import { makeFolder } from "../util/make-folder.js";

export interface LocalResult {
  /** The job's id or name: anything at all. */
  readonly job: string;
  /** Milliseconds UTC. */
  readonly at: number;
  readonly text: string;
}

/** Writes it, durably, and returns its path. */
export async function writeLocalOutput(folder: string, { job, at, text }: LocalResult): Promise<string> {
  const place = join(folder, folderName(job));
  makeFolder(place);
  const unfinished = join(place, `.${randomBytes(8).toString("hex")}.tmp`);
  try {
    await writeThrough(unfinished, text.endsWith("\n") ? text : `${text}\n`);
    const path = await nameIt(unfinished, join(place, timeName(at)));
    await sync(place);
    return path;
  } finally {
    await rm(unfinished, { force: true });
  }
}

const LONGEST_NAME = 100;

/** A name for any text, another one for any other: plain words stay as they are. */
function folderName(job: string): string {
  const safe = job
    .toWellFormed()
    .replace(/^\.|[^A-Za-z0-9._-]/gu, (character) =>
      [...Buffer.from(character)].map((byte) => `%${byte.toString(16).padStart(2, "0")}`).join(""),
    );
  if (safe === "") return "%";
  if (safe.length <= LONGEST_NAME) return safe;
  const mark = createHash("sha256").update(job.toWellFormed()).digest("hex").slice(0, 16);
  return `${safe.slice(0, LONGEST_NAME)}%-${mark}`;
}

/** `2026-01-10T12-00-00.000Z`: sorts by time, and every file system takes it. */
function timeName(at: number): string {
  return new Date(at).toISOString().replaceAll(":", "-");
}

/** Gives the file the first name that is free: a second result of the same moment is the second. */
async function nameIt(unfinished: string, path: string): Promise<string> {
  for (let n = 1; ; n++) {
    const name = n === 1 ? `${path}.md` : `${path}-${n}.md`;
    try {
      await link(unfinished, name);
      return name;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
  }
}

async function writeThrough(path: string, text: string): Promise<void> {
  const file = await open(path, "wx", 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** The name is kept too, not only what is in the file. */
async function sync(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
