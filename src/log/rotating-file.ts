/**
 * A file of lines that several processes may append to at the same time. Each line is one write at the file's end, so
 * lines never mix. A file that is too large is renamed, which no crash leaves half done. A process that still has it
 * open notices before its next line and continues in the new one. The oldest files are deleted.
 */
import {
  closeSync,
  fstatSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { makeFolder } from "../util/make-folder.js";

const CURRENT = "baton.log";
const ARCHIVED = /^baton-\d{8}T\d{9}Z-\d+\.log$/;

export interface RotationLimits {
  /** After this size, a new file is started. */
  readonly bytes: number;
  /** How many old files are kept. */
  readonly kept: number;
}

export const LOG_LIMITS: RotationLimits = { bytes: 10 * 2 ** 20, kept: 5 };

export function logFolder(home: string): string {
  return join(home, "logs");
}

export function currentLog(folder: string): string {
  return join(folder, CURRENT);
}

/** The old files, oldest first. */
export function archivedLogs(folder: string): string[] {
  return namesIn(folder)
    .filter((name) => ARCHIVED.test(name))
    .sort()
    .map((name) => join(folder, name));
}

export class RotatingFile {
  readonly #folder: string;
  readonly #limits: RotationLimits;
  #open: { readonly file: number; readonly ino: number } | null = null;
  #lastRotation = 0;

  constructor(folder: string, limits: RotationLimits) {
    this.#folder = folder;
    this.#limits = limits;
  }

  /** Throws if it can't be written; the next line is tried again. */
  append(line: string, now: number): void {
    try {
      const size = this.#openCurrent();
      writeSync(this.#openFile(), line);
      if (size + Buffer.byteLength(line) >= this.#limits.bytes) this.#rotate(now);
    } catch (error) {
      this.close();
      throw error;
    }
  }

  close(): void {
    const open = this.#open;
    this.#open = null;
    if (open) closeSync(open.file);
  }

  #openFile(): number {
    if (!this.#open) throw new Error("No log file is open.");
    return this.#open.file;
  }

  /** The size of the current file, which is open afterwards. */
  #openCurrent(): number {
    const path = currentLog(this.#folder);
    const present = statSync(path, { throwIfNoEntry: false });
    if (present && this.#open?.ino === present.ino) return present.size;
    this.close();
    makeFolder(this.#folder);
    const file = openSync(path, "a", 0o600);
    const { ino, size } = fstatSync(file);
    this.#open = { file, ino };
    return size;
  }

  #rotate(now: number): void {
    const path = currentLog(this.#folder);
    const present = statSync(path, { throwIfNoEntry: false });
    if (!present || present.ino !== this.#open?.ino) return; // Another process was first.
    this.#lastRotation = Math.max(now, this.#lastRotation + 1);
    const stamp = new Date(this.#lastRotation).toISOString().replace(/[-:.]/g, "");
    try {
      renameSync(path, join(this.#folder, `baton-${stamp}-${process.pid}.log`));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error; // Another process was slightly faster.
    }
    this.close();
    for (const old of archivedLogs(this.#folder).slice(0, -this.#limits.kept)) rmSync(old, { force: true });
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}
