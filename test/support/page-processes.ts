/** In place of a host: processes that have printed their word, which is also in their command. */
import type { ProcessStatus } from "../../src/process/process.js";
import type { Processes, SeenProcess } from "../../src/process/processes.js";
import type { KeptProcess } from "../../src/process/store.js";
import type { ProcessId } from "../../src/session/ids.js";
import type { SessionSource } from "../../src/session/source.js";
import type { Account, Kept } from "./access-books.js";

export interface PageProcess {
  readonly id: ProcessId;
  readonly starter: Account;
  readonly by: SessionSource;
  readonly kept: Kept;
  readonly said: string;
}

export function hostOf(processes: readonly PageProcess[]): Processes {
  const one = (id: ProcessId): PageProcess => {
    const found = processes.find((process) => process.id === id);
    if (!found) throw new Error(`There is no process ${id}.`);
    return found;
  };
  const host: Record<"list" | "find" | "read" | "status", unknown> = {
    list: async () => processes.map(seen),
    find: async (id: ProcessId) => (processes.some((process) => process.id === id) ? seen(one(id)) : null),
    status: async (id: ProcessId) => seen(one(id)),
    read: async (id: ProcessId, from: number) => {
      const { said } = one(id);
      const begin = from < 0 ? 0 : Math.min(from, said.length);
      return { text: said.slice(begin), from: begin, to: said.length };
    },
  };
  return host as unknown as Processes;
}

function seen({ id, by, kept: { id: sessionId }, said }: PageProcess): SeenProcess {
  const now = { startedAt: 1, end: null, endedAt: null } as const;
  const status: ProcessStatus = {
    ...{ id, ...now, pid: 1, pty: { cols: 80, rows: 5 }, takesInput: false, unsent: "" },
    output: { from: 0, to: said.length },
  };
  const kept: KeptProcess = {
    ...{ id, by, sessionId, ...now, home: "here", command: said, workdir: "/", environment: "", pty: true },
    ...{ walled: false, state: "running", reportedThrough: 0, matchedThrough: 0, matchedAt: null },
    watch: { checkIntervalMs: null, notifyOnComplete: false, patterns: [] },
  };
  return { kept, status };
}
