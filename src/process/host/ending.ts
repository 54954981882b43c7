/**
 * Ends everything that belongs to a process, and says how it ended. Only what is certainly its own is signalled.
 */
import { readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import type { RemoteControl } from "../../util/command-environment.js";
import { endGroup, isGoneWithin } from "../../util/process-group.js";
import { signalThere, statusThere } from "../../util/remote-control.js";
import { type ChildExit, signalNamed } from "./child.js";
import { type GroupOwner, ownGroup } from "./own-group.js";

/** How long something that was killed may take to be gone. */
const GONE_MS = 10_000;
const REMOTE_LOOK_MS = 200;
/** How long a sandbox may take to end after its command. */
const AFTERWARDS_MS = 1_000;

export interface Endable extends GroupOwner {
  readonly hasOwnProcesses: boolean;
  readonly hasPty: boolean;
  readonly remote: RemoteControl | null;
  readonly environment: Readonly<Record<string, string>>;
}

/** TERM to the whole group, KILL after the grace period. False if something still runs after that. */
export async function endProcess(which: Endable, graceMs: number): Promise<boolean> {
  if (which.remote) await endRemote(which.remote, which.environment, graceMs);
  const leader = ownGroup(which);
  if (leader === null) return true;
  // The process that waits for the sandbox must outlive it, to report its exit.
  const inner = which.hasOwnProcesses ? firstChild(leader) : null;
  if (inner !== null) {
    const inFront = which.hasPty ? foregroundGroup(leader) : null;
    if (inFront !== null) await endGroup(inFront, graceMs);
    await endGroup(inner, inFront === null ? graceMs : AFTERWARDS_MS);
    if (await isGoneWithin(leader, GONE_MS)) return true;
  }
  await endGroup(leader, which.remote ? REMOTE_LOOK_MS : graceMs);
  return isGoneWithin(leader, GONE_MS);
}

async function endRemote(
  remote: RemoteControl,
  environment: Endable["environment"],
  graceMs: number,
): Promise<void> {
  for (const [signal, ms] of [
    ["TERM", graceMs],
    ["KILL", GONE_MS],
  ] as const) {
    await signalThere(remote, signal, environment);
    for (const until = performance.now() + ms; performance.now() < until; await delay(REMOTE_LOOK_MS)) {
      if ((await statusThere(remote, environment)).kind !== "running") return;
    }
  }
}

/** The first process inside a sandbox; null if it has not started, or the kernel does not tell. */
function firstChild(pid: number): number | null {
  try {
    return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ")[0]) || null;
  } catch {
    return null;
  }
}

/** The group that has the terminal of a sandbox; null if it is still the sandbox itself. */
function foregroundGroup(pid: number): number | null {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
      .replace(/^.*\) /s, "")
      .split(" ");
    const group = Number(fields[5]);
    return group > 1 && group !== pid ? group : null;
  } catch {
    return null;
  }
}

/** A signal that we sent, as a sandbox reports it and shells do: 128 plus its number. */
export function exitInside({ code, signal }: ChildExit): ChildExit {
  const told = signalNamed((code ?? 0) - 128);
  return signal === null && told ? { code: null, signal: told } : { code, signal };
}
