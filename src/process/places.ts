/** Where the processes of a home folder are kept, what the store calls that folder, and where its host listens. */
import { createHash, randomBytes } from "node:crypto";
import { linkSync, lstatSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeFolder } from "../util/make-folder.js";

/** The most bytes that a socket's path may have; macOS has 104 with the byte that ends it. */
const LONGEST_SOCKET_PATH = 103;

export function processFolder(home: string): string {
  return join(home, "processes");
}

export function lockFileOf(folder: string): string {
  return join(folder, "host.lock");
}

/** A name that stays with the folder: several machines may share a store, each with a home folder of its own. */
export function homeName(folder: string): string {
  makeFolder(folder);
  const file = join(folder, "name");
  const beside = `${file}.${process.pid}.${randomBytes(4).toString("hex")}`;
  const known = readIf(file);
  if (known !== null) return known;
  writeFileSync(beside, randomBytes(8).toString("hex"), { mode: 0o600 });
  try {
    linkSync(beside, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    rmSync(beside, { force: true });
  }
  return readFileSync(file, "utf8");
}

function readIf(file: string): string | null {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

/** Where the host of a folder listens, as it wrote down; null if none does. */
export function socketPath(folder: string): string | null {
  return readIf(socketFile(folder));
}

/**
 * In the folder itself, which only its user can enter. If that path is too long for a socket, in a private folder of the
 * user, under a hashed name. Each host has its own, so that one that ends takes nothing from the next.
 */
export function newSocketPath(folder: string): string {
  const name = `host-${randomBytes(4).toString("hex")}.sock`;
  const inside = join(folder, name);
  return Buffer.byteLength(inside) <= LONGEST_SOCKET_PATH ? inside : shortSocketPath(inside);
}

/** Removes the socket that a host wrote down. */
export function removeSocket(folder: string, path: string | null): void {
  if (path === null) return;
  rmSync(path, { force: true });
  if (socketPath(folder) === path) rmSync(socketFile(folder), { force: true });
}

export function writeSocket(folder: string, path: string): void {
  const beside = `${socketFile(folder)}.tmp`;
  writeFileSync(beside, path, { mode: 0o600 });
  renameSync(beside, socketFile(folder));
}

/** For a socket of this user, by what it is for. Short enough for a program that adds to the name for a moment. */
export function shortSocketPath(text: string): string {
  const hash = createHash("sha256").update(text).digest("hex").slice(0, 32);
  return join(privateFolder(), `${hash}.sock`);
}

function socketFile(folder: string): string {
  return join(folder, "host.socket");
}

/**
 * The folder for sockets whose path would be too long elsewhere. It is made if it is missing: only what is there can be hidden
 * from commands.
 */
export function privateFolder(): string {
  const uid = process.getuid?.() ?? 0;
  const ofSession = `/run/user/${uid}`;
  const ours = isPrivate(ofSession, uid) ? join(ofSession, "baton") : `/tmp/baton-${uid}`;
  makeFolder(ours);
  if (isPrivate(ours, uid)) return ours;
  throw new Error(`${ours} belongs to another user or can be entered by others. Remove it, then try again.`);
}

/** True for a folder of this user that nobody else can enter. */
function isPrivate(path: string, uid: number): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats?.isDirectory() === true && stats.uid === uid && (stats.mode & 0o077) === 0;
}
