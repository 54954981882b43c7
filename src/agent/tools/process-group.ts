/** Ending a process together with everything it started in its group: asked first, then made to. */
import { setTimeout as delay } from "node:timers/promises";

const LOOK_MS = 20;

/**
 * TERM to the group, and KILL to what is left of it after the grace. Ends when the group is gone or was killed. A group
 * that was seen to be gone is not signalled again: its number may be another's by then.
 */
export async function endGroup(leader: number, graceMs: number): Promise<void> {
  if (!signalGroup(leader, "SIGTERM")) return;
  for (let waitedMs = 0; waitedMs < graceMs; waitedMs += LOOK_MS) {
    await delay(LOOK_MS);
    if (!signalGroup(leader, 0)) return;
  }
  signalGroup(leader, "SIGKILL");
}

/** Whether anybody of the group is left, though its leader may be gone. */
export function isGroupThere(leader: number): boolean {
  return signalGroup(leader, 0);
}

/** Whether there was somebody to signal. */
function signalGroup(leader: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-leader, signal);
  } catch (error) {
    // EPERM: they changed their user, so they are there, but not ours to end.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
