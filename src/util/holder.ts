/**
 * Which process holds something. A process is identified by the place where its pid is valid (the boot of the machine and
 * the pid namespace, of which each container has its own), its pid and its start. Nobody can tell from here whether a
 * process elsewhere runs: its lease decides.
 */
import { randomUUID } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { isDeepStrictEqual } from "node:util";
import { anyEntryOf, isGroupThere } from "./process-group.js";

/** What can be known of a process from here. */
export type Fate = "alive" | "ended" | "unknown";

/** A process, as others know it. It is stored as JSON text, which only this file reads. */
interface ProcessName {
  readonly host: string;
  readonly pid: number;
  /** When it started, in the system's ticks; "" if the system does not tell. */
  readonly start: string;
  /** Where its pid is valid; "" if the system does not tell. Then the host's name has to do. */
  readonly place: string;
  /** Tells two holders in one process apart. */
  readonly id?: string;
}

/** Names this process, and never another one. */
export function processHolder(): string {
  return JSON.stringify({ ...nameOf(process.pid), id: randomUUID() });
}

/** A name for a process of this machine. */
export function processNamed(pid: number): string {
  return JSON.stringify(nameOf(pid));
}

function nameOf(pid: number): ProcessName {
  return { host: hostname(), pid, start: anyEntryOf(pid)?.start ?? ticksNow(), place: placeOfPids() };
}

/** For a process that is gone already: one that has its pid later started later. */
function ticksNow(): string {
  try {
    return `${Math.round(Number.parseFloat(readFileSync("/proc/uptime", "utf8")) * 100)}`;
  } catch {
    return "";
  }
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

/** The process group that it led, if a part of it is left: the leader may be gone, but nobody else has its pid. */
export function runningGroup(name: string): number | null {
  const leader = ownPid(name);
  return leader !== null && isGroupThere(leader) ? leader : null;
}

/** Its pid, also if it is gone; null if another process has that pid now, or nobody can tell. */
export function ownPid(name: string): number | null {
  const { pid, start, place } = readName(name);
  if (place === "" || place !== placeOfPids() || start === "") return null;
  const entry = anyEntryOf(pid);
  return entry === null || entry.start === start ? pid : null;
}

export function fateOf(holder: string): Fate {
  if (holder === "") return "ended";
  const { host, pid, start, place } = readName(holder);
  const here = placeOfPids();
  const isHere = place === here && (here !== "" || host === hostname());
  if (isHere) return isRunning(pid, start) ? "alive" : "ended";
  // The first versions wrote no place, so a process that is not found here may still run elsewhere.
  const isFound = place === "" && host === hostname() && isRunning(pid, start);
  return isFound ? "alive" : "unknown";
}

/** False only if the process has certainly ended. */
export function mayBeAlive(holder: string): boolean {
  return fateOf(holder) !== "ended";
}

/**
 * True if this process, which serves the account, takes on what another one has there. An account has one process, and
 * accepted messages go with it, even those of a process that is frozen. If an account is shared, each keeps its own.
 */
export function hasLeft(holder: string, me: string, isExclusive: boolean): boolean {
  return isExclusive ? holder !== me : !mayBeAlive(holder);
}

/** True if both names are of one process, which may have named itself more than once. */
export function isSameProcess(one: string, other: string): boolean {
  return isDeepStrictEqual(readName(one), readName(other));
}

/** The process, for people. */
export function holderWords(holder: string): string {
  const { pid, host } = readName(holder);
  return `process ${pid} on ${host}`;
}

/** It cannot change, and the system may not tell it again: a process can run out of descriptors. */
let knownPlace = "";

/** The place where pids of this process are valid; "" if the system does not tell. Then the host's name has to do. */
function placeOfPids(): string {
  if (knownPlace === "") knownPlace = readPlace();
  return knownPlace;
}

function readPlace(): string {
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

/** When a process started, in ticks; "" if it has ended and only its entry is left, undefined if the system does not tell. */
function startOf(pid: number): string | undefined {
  const entry = anyEntryOf(pid);
  return entry?.hasEnded ? "" : entry?.start;
}
