/**
 * Which process holds something. The name tells a process that ended from one that is merely slow: the same pid with
 * another start is another process.
 */
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { hostname } from "node:os";

/** This process, and no other, ever. */
export function processOwner(): string {
  return [hostname(), process.pid, startOf(process.pid) ?? "", randomUUID()].join(" ");
}

/** False only where the process has certainly ended; another machine's cannot be known. */
export function mayBeAlive(owner: string): boolean {
  const [host, pid, start] = owner.split(" ");
  if (host !== hostname() || !pid) return owner !== "";
  try {
    process.kill(Number(pid), 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
  const now = startOf(Number(pid));
  return now !== "" && (now === undefined || start === "" || now === start);
}

/** Whether what this process left is for whoever has its account by now: of another machine's, the account's lease decides. */
export function hasLeft(owner: string, isExclusive: boolean): boolean {
  if (!mayBeAlive(owner)) return true;
  return isExclusive && owner.split(" ")[0] !== hostname();
}

/** When a process started, in the system's ticks; "" where only its name is left, undefined where nobody tells. */
function startOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const [state = "", ...rest] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return /[ZXx]/.test(state) ? "" : rest[18];
  } catch {
    return undefined;
  }
}
