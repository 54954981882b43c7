/** Ends a process together with everything that it started in its group. */
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { timerMs } from "./timer-ms.js";

/** The pause between two looks, at first and at most. */
const LOOK_MS = 10;
const LONGEST_LOOK_MS = 160;

/**
 * Sends TERM to the group, and KILL to what is left after the grace period. Settles when the group is gone or was
 * killed. A group that is gone is not signalled again: its number may belong to another one now.
 */
export async function endGroup(leader: number, graceMs: number): Promise<void> {
  if (!signalGroup(leader, "SIGTERM") || (await isGoneWithin(leader, graceMs))) return;
  signalGroup(leader, "SIGKILL");
}

/** True as soon as no process of the group runs; false if one still does after that time. */
export async function isGoneWithin(leader: number, ms: number): Promise<boolean> {
  const until = performance.now() + ms;
  for (let pauseMs = LOOK_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_LOOK_MS)) {
    const leftMs = until - performance.now();
    await delay(timerMs(Math.min(pauseMs, leftMs)));
    if (!isGroupRunning(leader)) return true;
    if (leftMs <= 0) return false;
  }
}

/** True if a process of the group is left, even if its leader is gone. */
export function isGroupThere(leader: number): boolean {
  return signalGroup(leader, 0);
}

/** The same without processes that have ended and whose parent does not look. */
export function isGroupRunning(leader: number): boolean {
  if (!isGroupThere(leader)) return false;
  if (process.platform !== "linux" || isRunningIn(leader, String(leader))) return true;
  return runningMembers(leader).length > 0;
}

/** The processes of a group that have not ended; none if the system does not tell. */
export function runningMembers(leader: number): number[] {
  try {
    const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
    return pids.filter((pid) => isRunningIn(leader, pid)).map(Number);
  } catch {
    return [];
  }
}

function isRunningIn(leader: number, pid: string): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    const [state = "", , group] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return Number(group) === leader && !/[ZXx]/.test(state);
  } catch {
    return false; // It has ended meanwhile.
  }
}

/** True if there was a process to signal. */
function signalGroup(leader: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-leader, signal);
  } catch (error) {
    // EPERM: they changed their user, so they exist, but we can't end them.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
