/**
 * What the host keeps of a process beside its output, for the host that comes after it. A record is written before the
 * process is started, so that no id is ever started twice.
 */
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isProcessId, type ProcessId } from "../../session/ids.js";
import type { RemoteControl } from "../../util/command-environment.js";
import type { ProcessEnd, TerminalSize } from "../process.js";
import type { OutputPlace } from "./output-file.js";

export interface ProcessRecord {
  readonly id: ProcessId;
  /** As `util/holder.ts` names a process; null if nobody knows whether it was started. */
  readonly name: string | null;
  readonly pid: number;
  readonly startedAt: number;
  readonly pty: TerminalSize | null;
  readonly hasOwnProcesses: boolean;
  readonly remote: RemoteControl | null;
  readonly environment: Readonly<Record<string, string>>;
  readonly end: ProcessEnd | null;
  readonly endedAt: number | null;
  readonly place: OutputPlace;
}

/** Of a process that is not started yet. */
export function newRecord(id: ProcessId, now: number): ProcessRecord {
  return {
    id,
    name: null,
    pid: 0,
    startedAt: now,
    pty: null,
    hasOwnProcesses: false,
    remote: null,
    environment: {},
    end: null,
    endedAt: null,
    place: { base: 0, olderFrom: 0 },
  };
}

export function outputPath(folder: string, id: ProcessId): string {
  return join(folder, `${id}.out`);
}

/** True if something is kept of a process in this folder. */
export function hasFiles(folder: string, id: ProcessId): boolean {
  return existsSync(outputPath(folder, id)) || existsSync(recordPath(folder, id));
}

/** The process that an output file belongs to; null for other files. */
export function idOfOutput(file: string): ProcessId | null {
  const id = file.endsWith(".out") ? file.slice(0, -4) : "";
  return isProcessId(id) ? id : null;
}

function recordPath(folder: string, id: ProcessId): string {
  return join(folder, `${id}.json`);
}

export function saveRecord(folder: string, record: ProcessRecord): void {
  const path = recordPath(folder, record.id);
  writeFileSync(`${path}.tmp`, JSON.stringify(record), { mode: 0o600 });
  renameSync(`${path}.tmp`, path);
}

export function removeRecord(folder: string, id: ProcessId): void {
  rmSync(recordPath(folder, id), { force: true });
}

/** Those that can be read: one that was cut off by a full disk says nothing. */
export function readRecords(folder: string): ProcessRecord[] {
  return readdirSync(folder).flatMap((file) => {
    const id = file.endsWith(".json") ? file.slice(0, -5) : "";
    if (!isProcessId(id)) return [];
    try {
      const record = JSON.parse(readFileSync(join(folder, file), "utf8")) as ProcessRecord | null;
      return record?.id === id ? [record] : [];
    } catch {
      return [];
    }
  });
}
