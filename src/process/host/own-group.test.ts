/** How often all processes are read to find out whether something of one is left: the host asks that again and again. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { newProcessId } from "../../session/ids.js";
import { processNamed } from "../../util/holder.js";
import { type GroupOwner, markOf, ownGroup } from "./own-group.js";

const proc = vi.hoisted(() => ({ scans: 0, isRefused: false }));

vi.mock("node:fs", async (original) => {
  const fs = await original<typeof import("node:fs")>();
  const readdirSync = (path: string): string[] => {
    if (path === "/proc") proc.scans++;
    if (proc.isRefused) throw Object.assign(new Error("EMFILE: too many open files"), { code: "EMFILE" });
    return fs.readdirSync(path);
  };
  return { ...fs, readdirSync };
});

const ID = newProcessId();
const started: number[] = [];

beforeEach(() => {
  Object.assign(proc, { scans: 0, isRefused: false });
});

afterEach(() => {
  for (const pid of started.splice(0)) process.kill(pid, "SIGKILL");
});

function start(script: string): ChildProcess {
  return spawn("/bin/bash", ["-c", script], {
    detached: true,
    env: { ...process.env, ...markOf(ID) },
    stdio: ["ignore", "pipe", "ignore"],
  });
}

function ownerOf({ pid = 0 }: ChildProcess, rest: Partial<GroupOwner> = {}): GroupOwner {
  return { id: ID, pid, name: processNamed(pid), isChild: false, hasExited: true, hasPty: true, ...rest };
}

/** A shell that is gone, and left a job: a group of its own in the session of the shell. */
async function leftJob(): Promise<GroupOwner> {
  const shell = start("set -m; sleep 600 >&- 2>&- <&- & echo $!");
  let said = "";
  shell.stdout?.on("data", (data) => {
    said += data;
  });
  await once(shell, "close");
  expect(Number(said)).toBeGreaterThan(1);
  started.push(Number(said));
  // While it becomes another program, the system does not tell its environment.
  const isReady = (): boolean =>
    readFileSync(`/proc/${said.trim()}/cmdline`, "utf8").startsWith("sleep") &&
    readFileSync(`/proc/${said.trim()}/environ`, "utf8").includes(ID);
  await vi.waitUntil(isReady, { timeout: 60_000 });
  return ownerOf(shell);
}

test.runIf(process.platform === "linux")("a job that a shell left is found in one scan", async () => {
  const owner = await leftJob();
  expect(ownGroup(owner)).toBe(owner.pid);
  expect(proc.scans).toBe(1);
  expect(ownGroup({ ...owner, id: newProcessId() })).toBeNull();
  expect(proc.scans).toBe(2);
});

test.runIf(process.platform === "linux")("nothing is its own if the system does not tell", async () => {
  const owner = await leftJob();
  proc.isRefused = true;
  expect(ownGroup(owner)).toBeNull();
});

test.runIf(process.platform === "linux")("no scan is needed while the leader runs", async () => {
  const leader = start("echo ready; exec sleep 600");
  if (leader.stdout) await once(leader.stdout, "data");
  started.push(leader.pid ?? 0);
  expect(ownGroup(ownerOf(leader, { hasExited: false }))).toBe(leader.pid);
  expect(proc.scans).toBe(0);
});

test.runIf(process.platform === "linux")("no scan is needed for a group that is gone", async () => {
  const leader = start("exit");
  await once(leader, "close");
  expect(ownGroup(ownerOf(leader, { hasPty: false }))).toBeNull();
  expect(proc.scans).toBe(0);
});
