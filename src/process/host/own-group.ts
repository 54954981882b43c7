/**
 * The process group that a process leads, or its whole session if it has a PTY, if that is certainly its own. While it is
 * our child, nobody else can have its pid. Later its start time tells; and if it is gone and something may be left of its
 * group, each process that it started carries a mark in its environment: a group that merely has the same number does not.
 */
import { readFileSync } from "node:fs";
import type { ProcessId } from "../../session/ids.js";
import { fateOf, ownPid } from "../../util/holder.js";
import { isGroupRunning, type Kin, runningMembers } from "../../util/process-group.js";

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
  /** Its exit was seen: if a process has its pid now, that is another one, even if both started at the same moment. */
  readonly hasExited: boolean;
  readonly hasPty: boolean;
}

/** A shell makes a group for each job in a terminal. */
export function kinOf({ hasPty }: Pick<GroupOwner, "hasPty">): Kin {
  return hasPty ? "session" : "group";
}

/** Null if nothing of it runs, or nobody can tell. */
export function ownGroup(owner: GroupOwner): number | null {
  const { id, pid, name, isChild, hasExited } = owner;
  if (isChild) return pid;
  if (name === null) return null;
  const leader = ownPid(name);
  if (leader === null) return null;
  const kin = kinOf(owner);
  const isAlive = !hasExited && fateOf(name) === "alive" && isGroupRunning(leader, kin);
  const isOwn = isAlive || runningMembers(leader, kin).some((member) => hasMark(member.pid, id));
  return isOwn ? leader : null;
}

function hasMark(pid: number, id: ProcessId): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`, "latin1").split("\0").includes(`${MARK}=${id}`);
  } catch {
    return false; // It has ended, or is another user's.
  }
}
