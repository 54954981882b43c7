/** A home folder with a store, a session and background processes in it, for the command line to find. */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openStore } from "../../src/open-sessions.js";
import { processFolder } from "../../src/process/places.js";
import type { ProcessSpec, ProcessStatus } from "../../src/process/process.js";
import { Processes } from "../../src/process/processes.js";
import { startHost } from "../../src/process/start-host.js";
import { localSource } from "../../src/session/source.js";
import { makeHome } from "./baton.js";
import { localSpec } from "./process-host.js";

const HOST_PROGRAM = fileURLToPath(new URL("../../dist/process-host.js", import.meta.url));

export type ProcessHome = Awaited<ReturnType<typeof processHome>>;

export async function processHome() {
  const home = makeHome();
  const folder = processFolder(home);
  const { store, sessions } = await openStore({ url: join(home, "baton.db") });
  const { sessionId } = await sessions.getOrCreate(localSource());
  const environment = { PATH: process.env.PATH ?? "", LANG: "C.UTF-8" };
  let wasKilled = false;
  const processes = new Processes({
    folder,
    version: "test",
    start: () => {
      if (wasKilled) throw new Error("Another process has to start it.");
      return startHost({ program: HOST_PROGRAM, folder, environment, surroundings: { kind: "free" } });
    },
    store: store.processes,
    caps: { perSession: 16, inAll: 64 },
    keptMs: 1_800_000,
    graceMs: 5_000,
    clock: Date.now,
    onProblem: (problem) => {
      if (!wasKilled) throw new Error(problem);
    },
  });
  const started: ProcessStatus[] = [];
  /** From now on this one starts no other. */
  const killHost = async (): Promise<void> => {
    const host = await processes.about();
    wasKilled = true;
    if (host && "pid" in host) process.kill(Number(host.pid), "SIGKILL");
  };
  return {
    home,
    sessionId,
    processes,
    killHost,
    start: async (command: string, options: Partial<Omit<ProcessSpec, "id">> = {}) => {
      const { kept, status } = await processes.start({
        sessionId,
        by: localSource(),
        command,
        workdir: "/",
        walled: false,
        environment: "local",
        watch: { checkIntervalMs: null, notifyOnComplete: false, patterns: [] },
        spec: { ...localSpec(command), ...options },
      });
      if (status) started.push(status);
      return kept.id;
    },
    /** Ends everything that was started here, and the host. */
    close: async (): Promise<void> => {
      for (const { id, end } of started) if (!end) await processes.kill(id, "person");
      await killHost();
      await processes.shut();
      await sessions.close();
    },
  };
}
