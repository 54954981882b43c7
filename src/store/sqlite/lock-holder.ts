/** Which process keeps others from writing to a SQLite store: Linux tells who holds the lock of its write-ahead log. */
import { readFileSync, statSync } from "node:fs";

/** The byte of the `-shm` file that whoever writes has locked. */
const WRITE_LOCK = 120;
const LOCK = /POSIX\s+ADVISORY\s+WRITE\s+(\d+)\s+[0-9a-f]+:[0-9a-f]+:(\d+)\s+(\d+)\s+(\d+|EOF)/;

/** In words, with what to do; null where nobody has it or the system does not tell. */
export function lockHolderText(path: string): string | null {
  try {
    const { ino } = statSync(`${path}-shm`);
    for (const line of readFileSync("/proc/locks", "utf8").split("\n")) {
      const [, pid = "", inode = "", from = "", to = ""] = LOCK.exec(line) ?? [];
      const isOurs = inode === String(ino) && Number(from) <= WRITE_LOCK;
      if (isOurs && (to === "EOF" || Number(to) >= WRITE_LOCK)) return wordsFor(pid);
    }
  } catch {
    return null; // Another system, or the file has just gone.
  }
  return null;
}

function wordsFor(pid: string): string {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const isStopped = /^[Tt]/.test(stat.slice(stat.lastIndexOf(")") + 2));
  return isStopped
    ? `Process ${pid} holds it and is stopped: \`kill -CONT ${pid}\` lets it go on, \`kill -9 ${pid}\` ends it.`
    : `Process ${pid} holds it.`;
}
