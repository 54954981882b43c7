/**
 * Ends a sandbox that has processes of its own. What holds:
 * - its leader, who waits for it, outlives it, to report its exit;
 * - nothing gets away, also if the sandbox is just starting: in the end its first process is killed, and the kernel ends
 *   all the others with that one;
 * - only groups of the sandbox are signalled: the number of a terminal's foreground group may be of another group by now.
 */
import { readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import {
  endGroup,
  entryOf,
  isGoneWithin,
  isGroupRunning,
  runningChildren,
  runningMembers,
  signalGroup,
} from "../../util/process-group.js";

const LOOK_MS = 10;
/** How long a sandbox may take to end after its command. */
const AFTERWARDS_MS = 5_000;
/** How often to look whether the leader has stopped. */
const MOST_LOOKS = 50;

export async function endSandbox(leader: number, hasPty: boolean, graceMs: number): Promise<void> {
  const until = performance.now() + graceMs;
  let patience = until;
  do {
    const group = groupInside(leader, hasPty); // While it starts, there is none, or one after the other.
    if (group === null) continue;
    await endGroup(group, Math.max(0, until - performance.now()));
    patience = until + AFTERWARDS_MS;
  } while (!(await isGoneWithin(leader, LOOK_MS)) && performance.now() < patience);
  if (isGroupRunning(leader)) await killInside(leader);
}

/** The group of the command: null while there is none. */
function groupInside(leader: number, hasPty: boolean): number | null {
  if (hasPty) return foregroundGroup(leader);
  const first = firstInside(leader);
  return first !== null && entryOf(first)?.group === first ? first : null;
}

/** The leader starts nothing while it is stopped, so all that it has started is seen. */
async function killInside(leader: number): Promise<void> {
  signalGroup(leader, "SIGSTOP");
  for (let look = 0; look < MOST_LOOKS && entryOf(leader)?.isStopped === false; look++) await delay(1);
  const first = firstInside(leader);
  if (first === null) return void signalGroup(leader, "SIGKILL");
  process.kill(first, "SIGKILL"); // It is a child of the leader, which cannot forget it now: so the number is its own.
  signalGroup(leader, "SIGCONT");
}

/** The first process inside: a child with processes of its own. Null if there is none yet. */
function firstInside(leader: number): number | null {
  const depth = namespacesOf(leader);
  return runningChildren(leader).find(({ pid }) => namespacesOf(pid) > depth)?.pid ?? null;
}

/** In how many nested namespaces a process has a pid. */
function namespacesOf(pid: number): number {
  try {
    const [, pids = ""] = /^NSpid:\t(.*)$/m.exec(readFileSync(`/proc/${pid}/status`, "latin1")) ?? [];
    return pids.split("\t").length;
  } catch {
    return 1; // It has ended.
  }
}

/** The group that has the terminal of a sandbox; null if that is still the sandbox itself, or a group that is gone. */
function foregroundGroup(leader: number): number | null {
  const group = entryOf(leader)?.foreground ?? 0;
  if (group <= 1 || group === leader) return null;
  return runningMembers(group).some(({ session }) => session === leader) ? group : null;
}
