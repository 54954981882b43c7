/** What is known of processes while /proc can't be read, because this process has no descriptor left. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { afterEach, expect, test, vi } from "vitest";
import { fateOf, processHolder } from "./holder.js";
import { endGroup, isGoneWithin, isGroupRunning, signalGroup } from "./process-group.js";

const proc = vi.hoisted(() => ({ refuses: (_path: string): boolean => false }));

vi.mock("node:fs", async (original) => {
  const fs = await original<typeof import("node:fs")>();
  const refusing = <Args extends unknown[], Value>(read: (...args: Args) => Value) => {
    return (...args: Args): Value => {
      if (!proc.refuses(String(args[0]))) return read(...args);
      throw Object.assign(new Error("EMFILE: too many open files"), { code: "EMFILE" });
    };
  };
  return {
    ...fs,
    readFileSync: refusing(fs.readFileSync),
    readdirSync: refusing(fs.readdirSync),
    readlinkSync: refusing(fs.readlinkSync),
  };
});

const EVERYTHING = (path: string): boolean => path.startsWith("/proc");
const ENTRIES = (path: string): boolean => /^\/proc\/\d/.test(path);

const children: ChildProcess[] = [];

afterEach(() => {
  proc.refuses = () => false;
  for (const { pid = 0 } of children.splice(0)) signalGroup(pid, "SIGKILL");
});

/** A group whose leader ignores TERM. */
async function stubborn(): Promise<{ readonly child: ChildProcess; readonly pid: number }> {
  const script = "trap '' TERM; echo ready; while :; do sleep 600; done";
  const child = spawn("/bin/sh", ["-c", script], { detached: true, stdio: ["ignore", "pipe", "ignore"] });
  children.push(child);
  if (child.stdout) await once(child.stdout, "data");
  return { child, pid: child.pid ?? 0 };
}

test.runIf(process.platform === "linux")("a process that is here is still known", () => {
  const me = processHolder();
  proc.refuses = EVERYTHING;
  expect(fateOf(me)).toBe("alive");
  expect(fateOf(JSON.stringify({ ...JSON.parse(me), pid: 999_999_999 }))).toBe("ended");
});

test.each([
  ["all of it", EVERYTHING],
  ["what it says of each process", ENTRIES],
])("a group runs as long as it can be signalled: without %s", async (_, refuses) => {
  const { child, pid } = await stubborn();
  proc.refuses = refuses;
  expect(isGroupRunning(pid)).toBe(true);
  expect(await isGoneWithin(pid, 0)).toBe(false);
  const exit = once(child, "exit");
  await endGroup(pid, 0);
  expect(await exit).toEqual([null, "SIGKILL"]);
  proc.refuses = () => false;
  expect(await isGoneWithin(pid, 30_000)).toBe(true);
});
