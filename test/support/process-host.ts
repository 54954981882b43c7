/** A process host over a folder of its own, as a process or within this one, and what tests ask of it. */
import { type ChildProcess, spawn as spawnChild } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { readRecords } from "../../src/process/host/record.js";
import { type ServeOptions, serveProcesses } from "../../src/process/host/serve.js";
import { HostClient } from "../../src/process/host-client.js";
import type { ProcessSpec, ProcessStatus } from "../../src/process/process.js";
import type { HostEvent, HostHello } from "../../src/process/protocol.js";
import { PROTOCOLS } from "../../src/process/protocol.js";
import { newProcessId, type ProcessId } from "../../src/session/ids.js";
import { fateOf } from "../../src/util/holder.js";
import { isGroupRunning } from "../../src/util/process-group.js";

const HOST_PROGRAM = fileURLToPath(new URL("../../dist/process-host.js", import.meta.url));

const ENVIRONMENT = { PATH: process.env.PATH ?? "/usr/bin:/bin", HOME: "/nowhere", LANG: "C.UTF-8" };

/** A command in a shell, as the tool `terminal` starts it. */
export function localSpec(command: string): Omit<ProcessSpec, "id"> {
  return {
    file: "/bin/sh",
    args: ["-c", command],
    environment: ENVIRONMENT,
    cwd: "/",
    pty: null,
    hasOwnProcesses: false,
    remote: null,
  };
}

/** What the host says of itself; starts one if there is none. */
export async function helloOf(client: HostClient): Promise<HostHello> {
  await client.request("list", {});
  const hello = await client.helloIfRunning();
  if (!hello) throw new Error("The host has ended.");
  return hello;
}

export type HostWorld = ReturnType<typeof hostWorld>;

export function hostWorld(folder = mkdtempSync(join(tmpdir(), "baton-processes-"))) {
  const hosts: ChildProcess[] = [];
  const clients: HostClient[] = [];
  const started: ProcessStatus[] = [];
  const over = new Map<ProcessId, ProcessStatus>();

  const start = async (...flags: readonly string[]): Promise<ChildProcess> => {
    const env = { ...ENVIRONMENT, BATON_CANARY: "a secret" };
    const host = spawnChild(process.execPath, [HOST_PROGRAM, folder, ...flags], {
      env,
      cwd: "/",
      stdio: "ignore",
    });
    hosts.push(host);
    await once(host, "spawn");
    return host;
  };
  const onEvent = (event: HostEvent): void => {
    if (event.event === "ended") over.set(event.status.id, event.status);
  };
  const clientOf = (protocols: readonly number[]): HostClient => {
    const client = new HostClient({
      folder,
      version: "test",
      protocols,
      start: () => start().then(() => null),
      onEvent,
      onConnected: () => {},
      onLost: () => {},
    });
    clients.push(client);
    return client;
  };
  const client = clientOf(PROTOCOLS);

  return {
    folder,
    hosts,
    client,
    clientOf,
    start,
    /** Serves the folder within this process. */
    serve: async (options: Partial<ServeOptions>) => {
      const usual = {
        folder,
        version: "test",
        protocols: PROTOCOLS,
        idleMs: 600_000,
        endsWithService: false,
      };
      const served = await serveProcesses({ ...usual, ...options });
      if (!served) throw new Error("Another host serves this folder.");
      return served;
    },
    spawn: async (command: string, options: Partial<ProcessSpec> = {}): Promise<ProcessStatus> => {
      const spec = { ...localSpec(command), id: newProcessId(), ...options };
      const status = await client.request("spawn", { spec });
      started.push(status);
      return status;
    },
    /** Waits until it has ended. */
    ended: async (id: ProcessId): Promise<ProcessStatus> => {
      for (;;) {
        const status = over.get(id) ?? (await client.request("status", { id }));
        if (status.end) return status;
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    },
    outputOf: async (id: ProcessId): Promise<string> =>
      (await client.request("read", { id, from: 0, limit: 4_000_000 })).text,
    /** Ends everything that was started here. */
    remove: async (): Promise<void> => {
      for (const { pid } of [...started, ...left(folder)]) {
        try {
          process.kill(-pid, "SIGKILL");
        } catch {
          // It has ended.
        }
      }
      for (const one of clients) one.close();
      for (const host of hosts) if (host.exitCode === null && host.signalCode === null) host.kill("SIGKILL");
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** What a host started there, for whoever asked it to, and still runs. */
function left(folder: string) {
  if (!existsSync(folder)) return [];
  return readRecords(folder).filter(({ name }) => name && fateOf(name) === "alive");
}

/** Ends the host of a home folder, if one runs. */
export async function endHost(home: string): Promise<void> {
  const lock = join(home, "processes", "host.lock");
  const pid = existsSync(lock) ? Number(/"pid":(\d+)/.exec(readFileSync(lock, "utf8"))?.[1]) : 0;
  if (!pid) return;
  process.kill(pid, "SIGKILL");
  while (isGroupRunning(pid)) await new Promise((resolve) => setTimeout(resolve, 5));
}
