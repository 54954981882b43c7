/**
 * Which process holds something. A process is known by where its pid counts (the boot of the machine and the pid
 * namespace, which a container has of its own), its pid and its start. Of a process elsewhere nobody can tell from here
 * whether it runs: its lease decides.
 */
import { randomUUID } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { isDeepStrictEqual } from "node:util";
import { isGroupThere } from "../agent/tools/process-group.js";

/** What can be known of a process from here. */
export type Fate = "alive" | "ended" | "unknown";

/** A process, as far as others have to know it. Kept as JSON text, which only this file reads. */
interface ProcessName {
  readonly host: string;
  readonly pid: number;
  /** When it started, in the system's ticks; "" if the system does not tell. */
  readonly start: string;
  /** Where its pid counts; "" if the system does not tell, and the host's name has to do. */
  readonly place: string;
  /** Tells two holders in one process apart. */
  readonly id?: string;
}

/** This process, and no other, ever. */
export function processHolder(): string {
  return JSON.stringify({ ...nameOf(process.pid), id: randomUUID() });
}

/** A process of this machine, as others come to know it. */
export function processNamed(pid: number): string {
  return JSON.stringify(nameOf(pid));
}

function nameOf(pid: number): ProcessName {
  return { host: hostname(), pid, start: startOf(pid) ?? "", place: placeOfPids() };
}

function readName(text: string): ProcessName {
  if (!text.startsWith("{")) return readOldName(text);
  const { host, pid, start, place } = JSON.parse(text) as ProcessName;
  return { host, pid, start, place };
}

/** As Baton named processes before: `host pid start id place`, in the first versions without a place. */
function readOldName(text: string): ProcessName {
  const [host = "", pid = "", start = "", , place = ""] = text.split(" ");
  return { host, pid: Number(pid), start, place };
}

/** The group that a process led, if something of it certainly runs: also where its leader is gone, but not as another's. */
export function runningGroup(name: string): number | null {
  const leader = readName(name);
  if (leader.place === "" || leader.place !== placeOfPids() || leader.start === "") return null;
  const now = startOf(leader.pid);
  const isTheirs = now === leader.start || now === undefined || now === "";
  return isTheirs && isGroupThere(leader.pid) ? leader.pid : null;
}

export function fateOf(holder: string): Fate {
  if (holder === "") return "ended";
  const { host, pid, start, place } = readName(holder);
  const here = placeOfPids();
  const isHere = place === here && (here !== "" || host === hostname());
  if (isHere) return isRunning(pid, start) ? "alive" : "ended";
  // The first versions named no place: the process is ours to see only if it is there.
  const isFound = place === "" && host === hostname() && isRunning(pid, start);
  return isFound ? "alive" : "unknown";
}

/** False only where the process has certainly ended. */
export function mayBeAlive(holder: string): boolean {
  return fateOf(holder) !== "ended";
}

/** True if a process no longer works on what it leased: the lease ran out, or the process has certainly ended. */
export function isLeft(lease: { readonly holder: string; readonly until: number }, now: number): boolean {
  return lease.until <= now || !mayBeAlive(lease.holder);
}

/**
 * Whether this process, which serves the account, takes on what another one left there. An account has one process: what
 * others accepted goes with it, also that of one that is frozen. Where an account is shared, each has its own.
 */
export function hasLeft(holder: string, me: string, isExclusive: boolean): boolean {
  return isExclusive ? holder !== me : !mayBeAlive(holder);
}

/** Both names are of one process, which may have named itself more than once. */
export function isSameProcess(one: string, other: string): boolean {
  return isDeepStrictEqual(readName(one), readName(other));
}

/** The process, for people. */
export function holderWords(holder: string): string {
  const { pid, host } = readName(holder);
  return `process ${pid} on ${host}`;
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

function isRunning(pid: number, start: string): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
  const now = startOf(pid);
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
