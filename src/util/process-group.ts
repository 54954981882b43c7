/** Ends a process together with everything that it started in its group. */
import { setTimeout as delay } from "node:timers/promises";

const LOOK_MS = 20;

/**
 * Sends TERM to the group, and KILL to what is left after the grace period. Settles when the group is gone or was
 * killed. A group that is gone is not signalled again: its number may belong to another one now.
 */
export async function endGroup(leader: number, graceMs: number): Promise<void> {
  if (!signalGroup(leader, "SIGTERM")) return;
  for (let waitedMs = 0; waitedMs < graceMs; waitedMs += LOOK_MS) {
    await delay(LOOK_MS);
    if (!signalGroup(leader, 0)) return;
  }
  signalGroup(leader, "SIGKILL");
}

/** True if a process of the group is left, even if its leader is gone. */
export function isGroupThere(leader: number): boolean {
  return signalGroup(leader, 0);
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
