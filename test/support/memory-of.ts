import { readFileSync } from "node:fs";

/** The memory of a process, in megabytes. */
export function memoryOf(pid: number | undefined): number {
  const rss = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return Number(rss) / 1024;
}
