/**
 * Ends everything that belongs to a process, and says how it ended. Only what is certainly its own is signalled.
 */
import { setTimeout as delay } from "node:timers/promises";
import type { RemoteControl } from "../../util/command-environment.js";
import { endGroup, entryOf, isGoneWithin } from "../../util/process-group.js";
import { isLeftThere, signalThere, statusThere } from "../../util/remote-control.js";
import { type ChildExit, signalNamed } from "./child.js";
import { endSandbox } from "./end-sandbox.js";
import { type GroupOwner, kinOf, ownGroup } from "./own-group.js";

/** How long something that was killed may take to be gone. */
const GONE_MS = 10_000;
const REMOTE_LOOK_MS = 200;

export interface Endable extends GroupOwner {
  readonly hasOwnProcesses: boolean;
  readonly remote: RemoteControl | null;
  readonly environment: Readonly<Record<string, string>>;
}

/** TERM to everything of it, KILL after the grace period. False if something still runs after that. */
export async function endProcess(which: Endable, graceMs: number): Promise<boolean> {
  if (which.remote) await endRemote(which.remote, which.environment, graceMs);
  const leader = ownGroup(which);
  if (leader === null) return true;
  const kin = kinOf(which);
  if (which.isChild) await becomesLeader(leader);
  if (which.hasOwnProcesses) await endSandbox(leader, which.hasPty, graceMs);
  else await endGroup(leader, which.remote ? REMOTE_LOOK_MS : graceMs, kin);
  return isGoneWithin(leader, GONE_MS, kin);
}

/** A process that was just started on a PTY is for a moment still in the group of its starter. */
async function becomesLeader(pid: number): Promise<void> {
  const until = performance.now() + GONE_MS;
  for (let entry = entryOf(pid); entry !== null && entry.group !== pid; entry = entryOf(pid)) {
    if (performance.now() > until) return;
    await delay(1);
  }
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
      const { kind } = await statusThere(remote, environment);
      if (kind !== "running" && !(await isLeftThere(remote, environment))) return;
    }
  }
}

/** A signal that we sent, as a sandbox reports it and shells do: 128 plus its number. */
export function exitInside({ code, signal }: ChildExit): ChildExit {
  const told = signalNamed((code ?? 0) - 128);
  return signal === null && told ? { code: null, signal: told } : { code, signal };
}
