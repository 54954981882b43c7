/** What the file system says, as what a person can do about it. */
import { type BigIntStats, type Stats, statSync } from "node:fs";
import { devNull } from "node:os";

const REASONS: Readonly<Record<string, string>> = {
  ENOSPC: "there is no space left on the disk. Free some space, then try again",
  EFBIG: "the file has reached the limit on file sizes. Raise the limit (`ulimit -f`)",
  EDQUOT: "the disk quota is used up. Free some space, then try again",
  EACCES:
    "the user that runs Baton has no permission there. Change its owner or mode, or choose another path",
  EPERM: "the user that runs Baton has no permission there. Change its owner or mode, or choose another path",
  EROFS: "the file system is read-only. Make it writable, or choose another path",
  ENOENT: "nothing can be created there. Choose another path",
  EIO: "the disk reported an error. Check the disk",
  EMFILE: "too many files are open. Close some programs, or raise the limit (`ulimit -n`)",
  ENFILE: "too many files are open on this machine. Close some programs",
  ENAMETOOLONG: "the name is too long. Choose a shorter path",
  ELOOP: "its links lead in a circle. Choose another path",
};

/** Something else is where the file or the folder should be. */
const IN_THE_WAY: Readonly<Record<string, string>> = {
  EISDIR: "it is a folder, not a file. Move it away, or choose another path",
  ENOTDIR: "its parent is a file, not a folder. Move the file away, or choose another path",
  EEXIST: "a file is in the way. Move it away, or choose another path",
};

/** The reason as after a colon, without a full stop; null if the error is none of the file system's. */
export function fileProblem(error: unknown): string | null {
  const { code = "", syscall } = (error ?? {}) as NodeJS.ErrnoException;
  return syscall !== undefined && Object.hasOwn(REASONS, code) ? (REASONS[code] ?? null) : null;
}

/** The same for any error: if it is none of the file system's, its own words. */
export function fileReason(error: unknown): string {
  const { code = "", message } = error as NodeJS.ErrnoException;
  return fileProblem(error) ?? IN_THE_WAY[code] ?? message.replace(/\.$/, "");
}

/** The same as a sentence without a full stop, with the path if it is known. */
export function fileSentence(error: unknown): string {
  const { path } = (error ?? {}) as NodeJS.ErrnoException;
  return path !== undefined && fileProblem(error) !== null
    ? `Can't use ${path}: ${fileReason(error)}`
    : fileReason(error);
}

/**
 * For a file that is read as a whole: a pipe could be waited for without end, and a device may have none. /dev/null is a file
 * without content.
 */
export function refuseOtherKinds(stats: Stats): void {
  const isNull =
    stats.isCharacterDevice() && stats.rdev === statSync(devNull, { throwIfNoEntry: false })?.rdev;
  if (!stats.isFile() && !isNull)
    throw new Error(`it is ${kindOf(stats)}, not a file. Move it away, or choose another path`);
}

/** What is there, as in "it is …". */
export function kindOf(stats: Stats | BigIntStats): string {
  if (stats.isFile()) return "a file";
  if (stats.isDirectory()) return "a folder";
  if (stats.isSymbolicLink()) return "a link";
  if (stats.isFIFO()) return "a pipe";
  return stats.isSocket() ? "a socket" : "a device";
}
