/**
 * Which process holds something. A process is known by where its pid counts (the boot of the machine and the pid
 * namespace, which a container has of its own), its pid and its start. Of a process elsewhere nobody can tell from here
 * whether it runs: its lease decides.
 */
import { randomUUID } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { isGroupThere } from "../agent/tools/process-group.js";

/** What can be known of a process from here. */
export type Fate = "alive" | "ended" | "unknown";

/** This process, and no other, ever: `host pid start id place`. */
export function processOwner(): string {
  return [hostname(), process.pid, startOf(process.pid) ?? "", randomUUID(), placeOfPids()].join(" ");
}

/** A process of this machine, as others come to know it. */
export function processNamed(pid: number): string {
  return [hostname(), pid, startOf(pid) ?? "", "", placeOfPids()].join(" ");
}

/** The group that a process led, if something of it certainly runs: also where its leader is gone, but not as another's. */
export function runningGroup(name: string): number | null {
  const { pid, start, place } = partsOf(name);
  if (place === "" || place !== placeOfPids() || start === "") return null;
  const now = startOf(Number(pid));
  const isTheirs = now === start || now === undefined || now === "";
  return isTheirs && isGroupThere(Number(pid)) ? Number(pid) : null;
}

export function fateOf(owner: string): Fate {
  if (owner === "") return "ended";
  const { host, pid, start, place } = partsOf(owner);
  const here = placeOfPids();
  const isHere = place === here && (here !== "" || host === hostname());
  if (isHere) return isRunning(pid, start) ? "alive" : "ended";
  // Older versions named no place: the process is ours to see only if it is there.
  const isFound = place === "" && host === hostname() && isRunning(pid, start);
  return isFound ? "alive" : "unknown";
}

/** False only where the process has certainly ended. */
export function mayBeAlive(owner: string): boolean {
  return fateOf(owner) !== "ended";
}

/**
 * Whether this process, which serves the account, takes on what another one left there. An account has one process: what
 * others accepted goes with it, also that of one that is frozen. Where an account is shared, each has its own.
 */
export function hasLeft(owner: string, me: string, isExclusive: boolean): boolean {
  return isExclusive ? owner !== me : !mayBeAlive(owner);
}

/** Both names are of one process, which may have named itself more than once. */
export function isSameProcess(one: string, other: string): boolean {
  const name = ({ host, pid, start, place }: ReturnType<typeof partsOf>): string =>
    JSON.stringify([place || host, pid, start]);
  return name(partsOf(one)) === name(partsOf(other));
}

/** The process, for people. */
export function ownerWords(owner: string): string {
  const { host, pid } = partsOf(owner);
  return `process ${pid} on ${host}`;
}

function partsOf(owner: string) {
  const [host = "", pid = "", start = "", , place = ""] = owner.split(" ");
  return { host, pid, start, place };
}

/** Where pids mean what they mean here; "" where the system does not tell, and the host's name has to do. */
function placeOfPids(): string {
  try {
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
    const namespace = readlinkSync("/proc/self/ns/pid").replace(/\D/g, "");
    return `${boot}/${namespace}`;
  } catch {
    return "";
  }
}

function isRunning(pid: string, start: string): boolean {
  try {
    process.kill(Number(pid), 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
  const now = startOf(Number(pid));
  return now !== "" && (now === undefined || start === "" || now === start);
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
