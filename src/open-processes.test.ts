/** The settings `processes.*` reach the processes. */
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test, vi } from "vitest";
import { makeHome } from "../test/support/baton.js";
import { endHost, localSpec } from "../test/support/process-host.js";
import { readEnvironment } from "./config/environment.js";
import { loadConfig } from "./config/load.js";
import { openProcesses } from "./open-processes.js";
import { openStore } from "./open-sessions.js";
import { HostClient } from "./process/host-client.js";
import { localSource } from "./session/source.js";

const HOST_PROGRAM = fileURLToPath(new URL("../dist/process-host.js", import.meta.url));

async function world(variables: Readonly<Record<string, string>>) {
  const home = makeHome();
  const config = await loadConfig(readEnvironment({ BATON_HOME: home, ...variables }), home);
  const { sessions, store } = await openStore({ url: "sqlite::memory:" });
  const processes = openProcesses(config, {
    store: store.processes,
    host: HOST_PROGRAM,
    version: "test",
    onProblem: () => {},
  });
  onTestFinished(async () => {
    for (const { kept, status } of await processes.list({}))
      if (status?.end === null) await processes.kill(kept.id, "person");
    await processes.shut();
    await endHost(home);
    await sessions.close();
  });
  const start = async (command: string, chatId = "cli") => {
    const by = { ...localSource(), chatId };
    const { sessionId } = await sessions.getOrCreate(by);
    const watch = { checkIntervalMs: null, notifyOnComplete: false, patterns: [] };
    const place = { workdir: "/", walled: false, environment: "local" };
    const { kept } = await processes.start({
      sessionId,
      by,
      command,
      ...place,
      watch,
      spec: localSpec(command),
    });
    return kept.id;
  };
  return { processes, start };
}

test("how many may run, and for how long one may end by itself", async () => {
  const { processes, start } = await world({
    BATON_PROCESSES_MAX: "3",
    BATON_PROCESSES_MAX_PER_SESSION: "2",
    BATON_PROCESSES_GRACE_SECONDS: "7",
  });
  const id = await start("exec sleep 600");
  await start("exec sleep 600");
  await expect(start("true")).rejects.toThrow(/^This conversation has 2 running processes/);
  await start("exec sleep 600", "another");
  await expect(start("true", "another")).rejects.toThrow(/^There are 3 running processes/);
  const requests = vi.spyOn(HostClient.prototype, "request");
  await processes.kill(id, "person");
  expect(requests).toHaveBeenCalledWith("kill", { id, by: "person", graceMs: 7_000 });
});

test("how long one that has ended is kept", async () => {
  const { processes, start } = await world({ BATON_PROCESSES_KEEP_MINUTES: "0.0001" });
  const id = await start("exit 3");
  await processes.wait(id, { timeoutMs: 60_000, signal: new AbortController().signal });
  await expect
    .poll(async () => {
      await processes.tidy();
      return processes.find(id);
    })
    .toBeNull();
});
