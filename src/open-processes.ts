/** Configuration and a store → the background processes of this home folder; and what the doctor says of them. */
import { existsSync } from "node:fs";
import type { Config } from "./config/config.js";
import { hostEnvironment } from "./config/environment.js";
import { hostProblem, processFinding } from "./process/finding.js";
import { loadPty } from "./process/host/pty.js";
import { HostClient } from "./process/host-client.js";
import { processFolder } from "./process/places.js";
import { Processes } from "./process/processes.js";
import { startHost } from "./process/start-host.js";
import type { ProcessStore } from "./process/store.js";
import { isContainer } from "./process/surroundings.js";
import { BatonError } from "./session/errors.js";
import type { Finding } from "./util/finding.js";
import type { OnProblem } from "./util/problem.js";

export interface OpenProcessesOptions {
  readonly store: ProcessStore;
  /** The program of the process host. */
  readonly host: string;
  readonly version: string;
  readonly onProblem: OnProblem;
}

/** Their host is started when it is first needed. */
export function openProcesses(
  config: Config,
  { store, host, version, onProblem }: OpenProcessesOptions,
): Processes {
  const { max, maxPerSession, keepMinutes, graceSeconds } = config.processes;
  const folder = processFolder(config.home);
  return new Processes({
    folder,
    version,
    start: () => startHost({ program: host, folder, environment: hostEnvironment() }),
    store,
    caps: { perSession: maxPerSession, inAll: max },
    keptMs: keepMinutes * 60_000,
    graceMs: graceSeconds * 1_000,
    clock: Date.now,
    onProblem,
  });
}

/** Starts and makes nothing. */
export async function processFindings(config: Config, version: string): Promise<Finding[]> {
  const folder = processFolder(config.home);
  const nobody = {
    folder,
    version,
    start: async () => null,
    onEvent: () => {},
    onConnected: () => {},
    onLost: () => {},
  };
  const client = new HostClient(nobody);
  try {
    const hello = existsSync(folder) ? await client.helloIfRunning() : null;
    const known = hello ? await client.request("list", {}) : [];
    const running = known.filter(({ end }) => end === null).length;
    const hasPty = hello?.hasPty ?? (await loadPty()) !== null;
    return [processFinding(hello && { ...hello, running }, hasPty, isContainer())];
  } catch (error) {
    if (!(error instanceof BatonError)) throw error;
    return [hostProblem(error)];
  } finally {
    client.close();
  }
}
