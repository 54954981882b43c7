/** One process, without the clock of a host: what is saved of it, and what the next host makes of that. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { localSpec } from "../../../test/support/process-host.js";
import { newProcessId, type ProcessId } from "../../session/ids.js";
import { processNamed } from "../../util/holder.js";
import type { ProcessSpec, ProcessStatus } from "../process.js";
import { Host } from "./host.js";
import { HostedProcess, type HostParts } from "./hosted-process.js";
import { newRecord, type ProcessRecord, readRecords, saveRecord } from "./record.js";

const NOW = 1_000;

let folder: string;
let id: ProcessId;
let ended: ProcessStatus[];
let hosts: Host[];
let started: HostedProcess[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "baton-hosted-"));
  id = newProcessId();
  ended = [];
  hosts = [];
  started = [];
});

afterEach(async () => {
  for (const process of started) await process.kill("person", 0);
  for (const host of hosts) host.close();
  rmSync(folder, { recursive: true });
});

const parts = (): HostParts => ({
  folder,
  pty: null,
  clock: () => NOW,
  onOutput: () => {},
  onEnded: ({ status }) => void ended.push(status),
});

async function start(command: string): Promise<HostedProcess> {
  const process = await HostedProcess.start(parts(), { ...localSpec(command), id });
  started.push(process);
  return process;
}

/** The one that comes after all others. */
function nextHost(): Host {
  const host = new Host({ folder, pty: null, clock: () => NOW, onOutput: () => {}, onEnded: () => {} });
  hosts.push(host);
  return host;
}

const saved = (): ProcessRecord | undefined => readRecords(folder).find((record) => record.id === id);

/** Calls back when the program is about to be started: only then somebody asks which one it is. */
function specThatTells(onStart: () => void): ProcessSpec {
  return {
    ...localSpec("exit 0"),
    id,
    get file() {
      onStart();
      return "/bin/sh";
    },
  };
}

test("what is typed into it is followed, also if it is a sandbox: not each of them is a wall", async () => {
  const spec = { ...localSpec("exec sleep 600"), id, hasOwnProcesses: true };
  const process = await HostedProcess.start(parts(), spec);
  started.push(process);
  process.write("rm -r");
  expect(process.status.unsent).toBe("rm -r");
});

test("its record is saved before it is started", async () => {
  const seen: (ProcessRecord | undefined)[] = [];
  started.push(
    await HostedProcess.start(
      parts(),
      specThatTells(() => seen.push(saved())),
    ),
  );
  expect(seen).toMatchObject([{ id, name: null, end: null }]);
  expect(saved()?.name).not.toBeNull();
});

test("it is not started if its record can't be saved", async () => {
  mkdirSync(join(folder, `${id}.json.tmp`));
  const onStart = vi.fn();
  await expect(HostedProcess.start(parts(), specThatTells(onStart))).rejects.toThrow("EISDIR");
  expect(onStart).not.toHaveBeenCalled();
});

test("one that may have been started is lost, and never started again", async () => {
  saveRecord(folder, newRecord(id, NOW));
  const host = nextHost();
  const lost = { id, end: { kind: "lost", why: expect.stringMatching(/It may not have run/) } };
  expect(await host.do("status", { id })).toMatchObject(lost);
  const onStart = vi.fn();
  expect(await host.do("spawn", { spec: specThatTells(onStart) })).toMatchObject(lost);
  expect(onStart).not.toHaveBeenCalled();
  expect(saved()).toMatchObject(lost);
  expect(host.running).toBe(0);
  expect(await nextHost().do("status", { id })).toMatchObject(lost);
});

test("one that was abandoned is never started, also not by the next host", async () => {
  const never = { id, pid: 0, end: { kind: "lost", why: expect.stringMatching(/before it started/) } };
  expect(await nextHost().do("abandon", { id })).toMatchObject(never);
  const next = nextHost();
  const onStart = vi.fn();
  expect(await next.do("spawn", { spec: specThatTells(onStart) })).toMatchObject(never);
  expect(onStart).not.toHaveBeenCalled();
  expect(next.running).toBe(0);
});

test("the next host gives the same positions after its output was cut", async () => {
  const length = 5 * 1024 * 1024;
  const process = await start(`head -c ${length} /dev/zero | tr '\\0' x; echo end; exec sleep 600`);
  await expect.poll(() => process.status.output.to).toBe(length + 4);
  for (let time = 0; time < 2; time++) process.trim(); // The second time it sees that there is a pause.
  const { output } = process.status;
  expect(output.from).toBeGreaterThan(0);
  const last = { text: "xend\n", from: length - 1, to: length + 4 };
  expect(process.read(-5, 100)).toEqual(last);
  const next = nextHost();
  expect(await next.do("status", { id })).toMatchObject({ output });
  expect(await next.do("read", { id, from: length - 1, limit: 100 })).toEqual(last);
});

test("what could not be saved of it, because the disk was full, is saved later", async () => {
  const process = await start("read -r go; exit 3");
  mkdirSync(join(folder, `${id}.json.tmp`));
  process.write("\n");
  await expect.poll(() => ended).toMatchObject([{ end: { kind: "exited", code: 3 } }]);
  process.saveAgain();
  expect(saved()?.end).toBeNull();
  rmdirSync(join(folder, `${id}.json.tmp`));
  process.saveAgain();
  expect(saved()?.end).toMatchObject({ kind: "exited", code: 3 });
});

test("a host saves by itself what could not be saved", async () => {
  const host = nextHost();
  const spec = { ...localSpec("read -r go; exit 3"), id };
  await host.do("spawn", { spec });
  mkdirSync(join(folder, `${id}.json.tmp`));
  await host.do("write", { id, text: "\n" });
  await expect.poll(async () => (await host.do("status", { id })).end).toMatchObject({ code: 3 });
  expect(saved()?.end).toBeNull();
  rmdirSync(join(folder, `${id}.json.tmp`));
  await expect.poll(() => saved()?.end).toMatchObject({ kind: "exited", code: 3 });
});

test("one of an earlier host that somebody else has ended was not ended by us", async () => {
  const child = spawn("sleep", ["600"], { detached: true, stdio: "ignore" });
  const { pid = 0 } = child;
  const process = HostedProcess.adopt(parts(), { ...newRecord(id, NOW), pid, name: processNamed(pid) });
  child.kill("SIGKILL");
  await once(child, "exit");
  await process.kill("agent", 1_000);
  expect(process.status.end).toEqual({ kind: "lost", why: expect.stringMatching(/exit code is unknown/) });
});

test("one of an earlier host that still runs is ended by us", async () => {
  const child = spawn("sleep", ["600"], { detached: true, stdio: "ignore" });
  const { pid = 0 } = child;
  const process = HostedProcess.adopt(parts(), { ...newRecord(id, NOW), pid, name: processNamed(pid) });
  await process.kill("agent", 5_000);
  expect(process.status.end).toMatchObject({ kind: "exited", by: "agent" });
});
