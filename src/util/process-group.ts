/** Ends a process together with everything that belongs to it. */
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { timerMs } from "./timer-ms.js";

/**
 * What belongs to a leader: its process group; or all groups of the session that it leads, because each job of a shell in a
 * terminal is a group of its own. The number of either is not given to another one while something of it is left.
 */
export type Kin = "group" | "session";

/** The pause between two looks, at first and at most. */
const LOOK_MS = 10;
const LONGEST_LOOK_MS = 160;
/** How the system says that a process has ended meanwhile, or is another user's. */
const NOT_SEEN: readonly string[] = ["ENOENT", "ESRCH", "EACCES", "EPERM"];

/**
 * Sends TERM to the group, and KILL to what is left after the grace period. Settles when the group is gone or was
 * killed. A group that is gone is not signalled again: its number may belong to another one now.
 */
export async function endGroup(leader: number, graceMs: number, kin: Kin = "group"): Promise<void> {
  if (!signalKin(leader, "SIGTERM", kin) || (await isGoneWithin(leader, graceMs, kin))) return;
  signalKin(leader, "SIGKILL", kin);
}

/** True as soon as nothing of the group runs; false if something still does after that time. */
export async function isGoneWithin(leader: number, ms: number, kin: Kin = "group"): Promise<boolean> {
  const until = performance.now() + ms;
  for (let pauseMs = LOOK_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_LOOK_MS)) {
    const leftMs = until - performance.now();
    await delay(timerMs(Math.min(pauseMs, leftMs)));
    if (!isGroupRunning(leader, kin)) return true;
    if (leftMs <= 0) return false;
  }
}

/** True if a process of the group is left, even if its leader is gone. */
export function isGroupThere(leader: number): boolean {
  return signalGroup(leader, 0);
}

/** The same without processes that have ended and whose parent does not look, if the system tells which those are. */
export function isGroupRunning(leader: number, kin: Kin = "group"): boolean {
  if (entryOf(leader)?.group === leader) return true;
  const members = membersOf(leader, kin);
  return members === null ? isGroupThere(leader) : members.length > 0;
}

interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  /** The group that has its terminal; not positive if there is none. */
  readonly foreground: number;
  /** When it started, in the system's ticks. */
  readonly start: string | undefined;
  readonly isStopped: boolean;
  /** Only its entry is left: its parent has not looked yet. */
  readonly hasEnded: boolean;
}

/** The processes that belong to a leader and have not ended; none if the system does not tell. */
export function runningMembers(leader: number, kin: Kin = "group"): ProcessEntry[] {
  return membersOf(leader, kin) ?? [];
}

/** The same; null if the system does not tell. A group that is gone needs no look at all processes, which takes long. */
function membersOf(leader: number, kin: Kin): ProcessEntry[] | null {
  if (kin === "group" && !isGroupThere(leader)) return [];
  return runningProcesses()?.filter((process) => process[kin] === leader) ?? null;
}

export function runningChildren(parent: number): ProcessEntry[] {
  return runningProcesses()?.filter((process) => process.parent === parent) ?? [];
}

/** Null if the system does not tell: it has no /proc, or this process has no descriptor left to read it. */
function runningProcesses(): ProcessEntry[] | null {
  try {
    const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
    const entries = pids.flatMap((pid) => readEntry(Number(pid)) ?? []);
    return entries.filter(({ hasEnded }) => !hasEnded);
  } catch {
    return null;
  }
}

/** Null if it has ended, or the system does not tell. */
export function entryOf(pid: number): ProcessEntry | null {
  const entry = anyEntryOf(pid);
  return entry?.hasEnded ? null : entry;
}

/** Also of a process that has ended, until its parent looks. Null if it is gone, or the system does not tell. */
export function anyEntryOf(pid: number): ProcessEntry | null {
  try {
    return readEntry(pid);
  } catch {
    return null;
  }
}

/** Null if it is gone, or hidden from us. Throws if the system does not tell. */
function readEntry(pid: number): ProcessEntry | null {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, "latin1");
  } catch (error) {
    if (NOT_SEEN.includes((error as NodeJS.ErrnoException).code ?? "")) return null;
    throw error;
  }
  const [state = "", ...rest] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [parent = 0, group = 0, session = 0, , foreground = 0] = rest.slice(0, 5).map(Number);
  const isStopped = /[Tt]/.test(state);
  const hasEnded = /[ZXx]/.test(state);
  return { pid, parent, group, session, foreground, start: rest[18], isStopped, hasEnded };
}

/** True if there was a process to signal. */
function signalKin(leader: number, signal: NodeJS.Signals, kin: Kin): boolean {
  const members = kin === "session" ? runningMembers(leader, kin) : [];
  const groups = new Set([leader, ...members.map(({ group }) => group)]);
  return [...groups].filter((group) => signalGroup(group, signal)).length > 0;
}

/** True if there was a process to signal. */
export function signalGroup(leader: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-leader, signal);
  } catch (error) {
    // EPERM: they changed their user, so they exist, but we can't end them.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
