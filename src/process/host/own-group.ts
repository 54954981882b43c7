/**
 * The process group that a process leads, if it is certainly its own. While it is our child, nobody else can have its pid.
 * Later its start time tells; and if it is gone and something may be left of its group, each process that it started
 * carries a mark in its environment: a group that merely has the same number does not.
 */
import { readFileSync } from "node:fs";
import type { ProcessId } from "../../session/ids.js";
import { fateOf, runningGroup } from "../../util/holder.js";
import { isGroupRunning, runningMembers } from "../../util/process-group.js";

const MARK = "BATON_RUN";

/** What every process gets beside its environment. */
export function markOf(id: ProcessId): Readonly<Record<string, string>> {
  return { [MARK]: id };
}

export interface GroupOwner {
  readonly id: ProcessId;
  readonly pid: number;
  readonly name: string | null;
  /** True until its exit was seen by us, its parent. */
  readonly isChild: boolean;
}

/** Null if nothing of it runs, or nobody can tell. */
export function ownGroup({ id, pid, name, isChild }: GroupOwner): number | null {
  if (isChild) return pid;
  const group = name === null ? null : runningGroup(name);
  if (group === null || name === null || !isGroupRunning(group)) return null;
  const isProved = fateOf(name) === "alive" || runningMembers(group).some((member) => hasMark(member, id));
  return isProved ? group : null;
}

function hasMark(pid: number, id: ProcessId): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`, "latin1").split("\0").includes(`${MARK}=${id}`);
  } catch {
    return false; // It has ended, or is another user's.
  }
}
