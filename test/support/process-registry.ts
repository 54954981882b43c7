/** A process host, and the registry over it and a store in memory, for one test: they end with it. */
import { onTestFinished, vi } from "vitest";
import { openStore } from "../../src/open-sessions.js";
import { Processes, type ProcessesOptions, type StartProcess } from "../../src/process/processes.js";
import { type HostWorld, hostWorld, localSpec } from "./process-host.js";

export function hostOfTest(): HostWorld {
  const made = hostWorld();
  onTestFinished(() => made.remove());
  return made;
}

const source = { platform: "local", chatId: "cli", chatType: "dm", userId: "ann" } as const;

export async function registryOfTest() {
  const host = hostOfTest();
  const { sessions, store } = await openStore({ url: "sqlite::memory:" });
  onTestFinished(() => sessions.close());
  const { sessionId } = await sessions.getOrCreate(source);
  return {
    host,
    store: store.processes,
    /** What `start` is asked for a command in a shell. */
    request: (command: string, more: Partial<StartProcess> = {}): StartProcess => ({
      sessionId,
      by: source,
      command,
      workdir: "/",
      walled: false,
      environment: "local",
      watch: { checkIntervalMs: null, notifyOnComplete: false, patterns: [] },
      spec: localSpec(command),
      ...more,
    }),
    /** A registry as a gateway opens it. */
    open: (options: Partial<ProcessesOptions> = {}): Processes => {
      const processes = new Processes({
        folder: host.folder,
        version: "test",
        start: () => host.start().then(() => null),
        store: store.processes,
        caps: { perSession: 16, inAll: 64 },
        keptMs: 1_800_000,
        graceMs: 1_000,
        clock: Date.now,
        onProblem: vi.fn(),
        ...options,
      });
      onTestFinished(() => processes.shut());
      return processes;
    },
  };
}
