/** Configuration and a store → the background processes of this home folder. */
import { fileURLToPath } from "node:url";
import type { Config } from "./config/config.js";
import { hostEnvironment } from "./config/environment.js";
import { processFolder } from "./process/places.js";
import { Processes } from "./process/processes.js";
import { startHost } from "./process/start-host.js";
import type { ProcessStore } from "./process/store.js";
import type { OnProblem } from "./util/problem.js";

const HOST = fileURLToPath(new URL("./process-host.js", import.meta.url));

export interface OpenProcessesOptions {
  readonly store: ProcessStore;
  readonly version: string;
  readonly onProblem: OnProblem;
}

/** Their host is started when it is first needed. */
export function openProcesses(
  config: Config,
  { store, version, onProblem }: OpenProcessesOptions,
): Processes {
  const { max, maxPerSession, keepMinutes, graceSeconds } = config.processes;
  const folder = processFolder(config.home);
  return new Processes({
    folder,
    version,
    start: () => startHost({ program: HOST, folder, environment: hostEnvironment() }),
    store,
    caps: { perSession: maxPerSession, inAll: max },
    keptMs: keepMinutes * 60_000,
    graceMs: graceSeconds * 1_000,
    clock: Date.now,
    onProblem,
  });
}
