/**
 * Who can have put a socket where it is. Node does not say whose process is at the other end, so the way there is looked
 * at: the socket belongs to us or to root, and so does every folder and link on the way, and nobody else can put another
 * in its place. A process that was given the open socket by its owner is not seen, nor are access lists.
 */
import { lstat, readlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { ConnectError } from "../adapter.js";

const OTHERS_MAY_WRITE = 0o022;
/** In such a folder, only its owner can move or delete a file. */
const STICKY = 0o1000;
const MOST_LINKS = 40;

/** The path without links, to connect to. Fails with a `ConnectError`; with the system's error if it cannot be looked at. */
export async function trustedSocket(path: string, ourUid: number | undefined): Promise<string> {
  if (ourUid === undefined)
    throw refused(path, "this system does not say who owns a file. Use signal-cli's --http instead");
  const check = (at: string, uid: number, what: string): void => {
    if (uid === ourUid || uid === 0) return;
    throw refused(
      path,
      `${what} ${at} belongs to user ${uid}, not to you or root. Run signal-cli as the user of Baton, with its socket in a private folder of that user; or, if you trust it: chown -h ${ourUid} ${quoted(at)}`,
    );
  };
  const rest = path.split("/").filter(Boolean);
  let folder = "/";
  let links = 0;
  for (let at = "/"; ; ) {
    const found = await lstat(at);
    const isLast = rest.length === 0;
    if (found.isSymbolicLink()) {
      check(at, found.uid, "the link");
      links += 1;
      if (links > MOST_LINKS) throw refused(path, "its links lead in a circle");
      const target = await readlink(at);
      rest.unshift(...target.split("/").filter(Boolean));
      if (target.startsWith("/")) folder = "/";
    } else if (isLast) {
      if (!found.isSocket())
        throw refused(path, "it is not a socket. Give the path that signal-cli's --socket was given");
      check(at, found.uid, "the socket");
      return at;
    } else {
      check(at, found.uid, "the folder");
      const isWritable = (found.mode & OTHERS_MAY_WRITE) !== 0;
      const holdsSocket = rest.length === 1;
      if (isWritable && (holdsSocket || (found.mode & STICKY) === 0))
        throw refused(path, writable(at, (found.mode & STICKY) !== 0));
      folder = at;
    }
    const next = rest.shift();
    if (next === undefined) throw refused(path, "it is not a socket");
    at = next === ".." ? dirname(folder) : join(folder, next);
  }
}

function writable(folder: string, isShared: boolean): string {
  if (isShared) return `everybody can write to ${folder}. Put the socket into a private folder (chmod 700)`;
  return `others can write to the folder ${folder}, so anybody there can put a socket in its place. Run: chmod go-w ${quoted(folder)}`;
}

function refused(path: string, why: string): ConnectError {
  return new ConnectError("permanent", `signal-cli's socket ${path} can't be trusted: ${why}.`);
}

function quoted(path: string): string {
  return `'${path.replaceAll("'", "'\\''")}'`;
}
