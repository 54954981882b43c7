/**
 * A private copy of a SQLite database, so that the original is neither written to nor locked. Another process makes it:
 * should the file be open in this one, closing our descriptor of it would drop SQLite's locks there.
 */
import { execFile } from "node:child_process";
import { lstat, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { InputError } from "../../session/errors.js";
import { fateOf, processHolder } from "../../util/holder.js";
import { readRegular } from "./regular-file.js";

const FOLDER = "baton-import-";
/** Beside the copy: the process that reads it. */
const HOLDER = "holder";

export interface SqliteCopy {
  readonly path: string;
  remove(): Promise<void>;
}

/** Null where the file is not a SQLite database. */
export async function copySqlite(path: string): Promise<SqliteCopy | null> {
  await removeLeft();
  const folder = await mkdtemp(join(tmpdir(), FOLDER));
  const copy = join(folder, "copy.db");
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    await writeFile(join(folder, HOLDER), processHolder());
    const { stdout } = await promisify(execFile)(process.execPath, ["-e", COPY, path, copy], { env: {} });
    if (stdout === "changing") {
      throw new InputError(
        "import_unreadable",
        `${path} is being written all the time. Stop the program that writes it, then import again.`,
      );
    }
    if (stdout === "strange") {
      throw new InputError(
        "import_unreadable",
        `${path} has a -wal or -journal beside it that is not a regular file. Remove that, then import again.`,
      );
    }
    if (stdout === "copied") return { path: copy, remove };
  } catch (error) {
    await remove();
    if (error instanceof InputError) throw error;
    throw new InputError(
      "import_unreadable",
      `${path} cannot be copied to ${tmpdir()} for reading. Check that it may be read and that there is room.`,
      { cause: error },
    );
  }
  await remove();
  return null;
}

/** Copies of imports that were killed: whole conversations would stay there. */
async function removeLeft(): Promise<void> {
  const names = await readdir(tmpdir()).catch(() => []);
  for (const name of names.filter((each) => each.startsWith(FOLDER))) {
    const folder = join(tmpdir(), name);
    if (await isLeft(folder).catch(() => false))
      await rm(folder, { recursive: true, force: true }).catch(() => {});
  }
}

/** Anybody may make a folder of that name: only one of ours that nobody else can write to says something. */
async function isLeft(folder: string): Promise<boolean> {
  const stats = await lstat(folder);
  const isOurs = stats.isDirectory() && stats.uid === process.getuid?.() && (stats.mode & 0o777) === 0o700;
  if (!isOurs) return false;
  const holder = await readRegular(join(folder, HOLDER));
  return holder !== "" && fateOf(holder) === "ended"; // Empty while it is being made.
}

/**
 * The database with what its last writer left beside it; not -shm, which SQLite makes anew. A copy made while somebody
 * wrote is made again: its parts would be of different moments.
 */
const COPY = `
const fs = require("node:fs");
const [from, to] = process.argv.slice(1);
const head = Buffer.alloc(16);
const fd = fs.openSync(from, "r");
fs.readSync(fd, head, 0, 16, 0);
fs.closeSync(fd);
const parts = ["", "-wal", "-journal"];
const state = () => JSON.stringify(parts.map((part) => {
  const stat = fs.statSync(from + part, { bigint: true, throwIfNoEntry: false });
  return stat && [stat.ino, stat.size, stat.mtimeNs].map(String);
}));
const copyOnce = () => {
  const before = state();
  for (const part of parts) {
    fs.rmSync(to + part, { force: true });
    if (!fs.existsSync(from + part)) continue;
    fs.copyFileSync(from + part, to + part);
    fs.chmodSync(to + part, 0o600);
  }
  return state() === before;
};
// A link would lead out of the folder, and a pipe would never end.
const isStrange = (part) => fs.lstatSync(from + part, { throwIfNoEntry: false })?.isFile() === false;
let outcome = "other";
if (head.toString("latin1") === "SQLite format 3\\0") {
  outcome = parts.slice(1).some(isStrange) ? "strange" : "changing";
  for (let tries = 0; tries < 10 && outcome === "changing"; tries++) {
    if (copyOnce()) outcome = "copied";
    else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
  }
}
process.stdout.write(outcome);
`;
