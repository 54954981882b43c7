/** How the processes of a home go on after the store failed or the host was killed, and that a wait leaves nothing. */
import { writeFileSync } from "node:fs";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, onTestFinished, test, vi } from "vitest";
import { helloOf, localSpec } from "../../test/support/process-host.js";
import { registryOfTest } from "../../test/support/process-registry.js";
import { isGroupRunning } from "../util/process-group.js";

/** Later than any test ends. */
const LATE_MS = 3_600_000;

/** The processes of a home whose host runs, and with which the store agrees: nothing is left to be looked at. */
async function world() {
  const { host, store, request, open } = await registryOfTest();
  const startHost = vi.fn(() => host.start().then(() => null));
  const onProblem = vi.fn();
  const processes = open({ start: startHost, onProblem });
  await host.client.request("list", {});
  const listed = vi.spyOn(store, "list");
  await processes.about();
  await expect.poll(() => listed.mock.results.length).toBe(1);
  expect(await listed.mock.results[0]?.value).toEqual([]);

  const start = async (command: string) => {
    const spec = { ...localSpec(command), cwd: host.folder };
    const { kept, status } = await processes.start(request(command, { spec }));
    const pid = status?.pid ?? 0;
    onTestFinished(() => endGroup(pid));
    return { id: kept.id, pid };
  };
  /** The next host does not start before the returned function is called. */
  const holdStart = (): (() => void) => {
    let mayStart = (): void => {};
    const gate = new Promise<void>((resolve) => {
      mayStart = resolve;
    });
    startHost.mockImplementation(async () => {
      await gate;
      await host.start();
      return null;
    });
    return mayStart;
  };
  return { host, store, processes, start, holdStart, onProblem };
}

function endGroup(pid: number): void {
  if (isGroupRunning(pid)) process.kill(-pid, "SIGKILL");
}

test("an end that the store could not take is saved later, by itself", async () => {
  const { store, processes, start, onProblem } = await world();
  const { id } = await start("read -r code; exit $code");
  vi.spyOn(store, "ended").mockRejectedValueOnce(new Error("database is locked"));
  await processes.write(id, "5\n");
  await expect
    .poll(() => onProblem.mock.calls)
    .toEqual([["Can't save what became of a process: database is locked", expect.anything()]]);
  await expect.poll(async () => (await store.find(id))?.end).toMatchObject({ kind: "exited", code: 5 });
});

test("followers hear of output that comes after the host was killed and another one took over", async () => {
  const { host, processes, start } = await world();
  const { id } = await start("echo before; until [ -e go ]; do sleep 0.02; done; echo after; exec sleep 600");
  const heard = vi.fn();
  await processes.follow(id, heard);
  await expect.poll(() => heard.mock.lastCall).toEqual([7]);
  host.hosts[0]?.kill("SIGKILL");
  await expect.poll(() => host.hosts[0]?.signalCode).toBe("SIGKILL");
  writeFileSync(`${host.folder}/go`, "");
  await expect.poll(() => heard.mock.lastCall).toEqual([13]);
});

test("a wait ends if the process ended together with its host, so that nobody tells of its end", async () => {
  const { host, processes, start, holdStart } = await world();
  const { id, pid } = await start("exec sleep 600");
  const waits = processes.wait(id, { timeoutMs: LATE_MS, signal: new AbortController().signal });
  await processes.status(id); // The host answers in order: the wait has been told that it runs.
  const mayStart = holdStart();
  host.hosts[0]?.kill("SIGKILL");
  await expect.poll(() => host.hosts[0]?.signalCode).toBe("SIGKILL");
  endGroup(pid);
  await expect.poll(() => isGroupRunning(pid)).toBe(false);
  mayStart(); // The next host finds out before anybody is connected.
  expect((await waits).status?.end).toMatchObject({ kind: "lost" });
});

test("a wait goes on while a host that was killed is slow to come back", async () => {
  const { host, store, processes, start, holdStart } = await world();
  const { id } = await start("exec sleep 600");
  const { pid } = await helloOf(host.client);
  const mayStart = holdStart();
  process.kill(pid, "SIGSTOP");
  const found = vi.spyOn(store, "find");
  const turn = new AbortController();
  const waits = processes.wait(id, { timeoutMs: LATE_MS, signal: turn.signal });
  await expect.poll(() => found.mock.settledResults.length).toBe(1); // It asks the host.
  process.kill(pid, "SIGKILL");
  await expect.poll(() => found.mock.calls.length).toBe(2); // Nobody has answered in time: it asks again.
  mayStart();
  await processes.status(id);
  turn.abort();
  expect((await waits).status).toMatchObject({ id, end: null });
});

test("nothing is kept of a wait that is over", async () => {
  setFlagsFromString("--expose-gc");
  const collectGarbage: () => void = runInNewContext("gc");
  const { processes, start } = await world();
  const { id } = await start("read -r code; exit $code");
  const turn = new AbortController();
  const listeners: WeakRef<object>[] = [];
  const add = turn.signal.addEventListener.bind(turn.signal);
  turn.signal.addEventListener = (...heard: Parameters<typeof add>) => {
    listeners.push(new WeakRef(heard[1]));
    add(...heard);
  };
  const left = (): number => {
    collectGarbage();
    return listeners.filter((listener) => listener.deref() !== undefined).length;
  };
  const other = processes.wait(id, { timeoutMs: LATE_MS, signal: new AbortController().signal });
  expect((await processes.wait(id, { timeoutMs: 0, signal: turn.signal })).status?.end).toBeNull();
  await expect.poll(left).toBe(0); // Although another one still waits for the same process.
  const waits = processes.wait(id, { timeoutMs: LATE_MS, signal: turn.signal });
  await processes.write(id, "3\n");
  for (const { status } of await Promise.all([waits, other])) expect(status?.end).toMatchObject({ code: 3 });
  await expect.poll(left).toBe(0);
  expect(listeners.length).toBeGreaterThan(1);
  expect(turn.signal.aborted).toBe(false);
});
