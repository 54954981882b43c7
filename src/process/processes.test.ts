import { existsSync, writeFileSync } from "node:fs";
import { setImmediate as nextLook } from "node:timers/promises";
import { expect, onTestFinished, test, vi } from "vitest";
import { helloOf, localSpec } from "../../test/support/process-host.js";
import { registryOfTest as world } from "../../test/support/process-registry.js";
import { isGroupRunning } from "../util/process-group.js";

const aborted = AbortSignal.timeout(0);
const waiting = { timeoutMs: 60_000, signal: new AbortController().signal };

test("a process is in the store before it runs, and its end is saved by itself", async () => {
  const { request, store, open } = await world();
  const processes = open();
  const { kept, status } = await processes.start(request("read -r code; exit $code"));
  expect(kept).toMatchObject({ state: "running", command: "read -r code; exit $code", home: processes.home });
  await processes.write(kept.id, `${status?.pid ? 5 : 0}\n`);
  const ended = await processes.wait(kept.id, waiting);
  expect(ended.status?.end).toMatchObject({ kind: "exited", code: 5, by: "itself" });
  await expect.poll(async () => (await store.find(kept.id))?.end).toMatchObject({ code: 5 });
});

test("a wait ends when the time is up or the signal aborts, and changes nothing", async () => {
  const { request, open } = await world();
  const processes = open();
  const { kept } = await processes.start(request("exec sleep 600"));
  const late = await processes.wait(kept.id, { timeoutMs: 10, signal: waiting.signal });
  expect(late.status?.end).toBeNull();
  expect((await processes.wait(kept.id, { timeoutMs: 60_000, signal: aborted })).status?.end).toBeNull();
  expect((await processes.kill(kept.id, "agent")).kept).toMatchObject({
    state: "ended",
    end: { signal: "SIGTERM", by: "agent" },
  });
});

test("what cannot be started is said and not left as running", async () => {
  const { request, store, open } = await world();
  const processes = open();
  const spec = { ...localSpec("true"), file: "/no/such/program" };
  await expect(processes.start(request("true", { spec }))).rejects.toMatchObject({
    code: "process_not_started",
  });
  expect(await store.list({ home: processes.home })).toMatchObject([
    { state: "ended", end: { kind: "lost" } },
  ]);
});

test("too many are refused with a sentence, and ended ones make room", async () => {
  const { request, open } = await world();
  const processes = open({ caps: { perSession: 2, inAll: 3 } });
  const { kept: first } = await processes.start(request("exec sleep 600"));
  await processes.start(request("exec sleep 600"));
  await expect(processes.start(request("true"))).rejects.toMatchObject({
    code: "process_limit",
    message: expect.stringContaining("processes.maxPerSession"),
  });
  await processes.kill(first.id, "person");
  for (let n = 0; n < 4; n++) {
    const { kept } = await processes.start(request("true"));
    await processes.wait(kept.id, waiting);
    await expect.poll(async () => (await processes.find(kept.id))?.kept.state).toBe("ended");
  }
  await expect.poll(() => processes.list({})).toHaveLength(3);
});

test("what is to be removed ends first, and leaves no file; one of another home is left alone", async () => {
  const { host, request, store, open } = await world();
  const processes = open();
  const { kept, status } = await processes.start(request("echo here; exec sleep 600"));
  await processes.remove(kept.id);
  expect(isGroupRunning(status?.pid ?? 0)).toBe(false);
  for (const end of ["out", "json"]) expect(existsSync(`${host.folder}/${kept.id}.${end}`)).toBe(false);
  expect((await store.find(kept.id))?.end).toMatchObject({ by: "person" });
  await processes.remove(kept.id); // Once more changes nothing.
  await processes.remove("proc_none" as typeof kept.id);
});

test("those that ended a while ago are forgotten with their files", async () => {
  const { host, request, store, open } = await world();
  let now = Date.now();
  const processes = open({ keptMs: 1_800_000, clock: () => now });
  const { kept } = await processes.start(request("true"));
  await expect.poll(async () => (await store.find(kept.id))?.state).toBe("ended");
  await processes.tidy();
  expect(existsSync(`${host.folder}/${kept.id}.out`)).toBe(true);
  now = Date.now() + 1_800_001;
  await processes.tidy();
  expect(await processes.list({})).toEqual([]);
  await expect.poll(() => existsSync(`${host.folder}/${kept.id}.out`)).toBe(false);
});

test("another process of the same home sees everything, and both hear of the end", async () => {
  const { request, open } = await world();
  const [one, other] = [open(), open()];
  const { kept } = await one.start(request("echo hello; exec sleep 600"));
  const [seen] = await other.list({ home: other.home });
  expect(seen?.status).toMatchObject({ id: kept.id, end: null });
  await expect.poll(async () => (await other.read(kept.id, 0, 100)).text).toBe("hello\n");
  const waits = [one.wait(kept.id, waiting), other.wait(kept.id, waiting)];
  await other.kill(kept.id, "person");
  for (const { status } of await Promise.all(waits)) expect(status?.end).toMatchObject({ by: "person" });
});

test("if the host is killed, its processes go on, their output too, and their end is lost", async () => {
  const { host, request, store, open } = await world();
  const processes = open();
  const loop = "echo before; while ! [ -e go ]; do sleep 0.05; done; echo after";
  const spec = { ...localSpec(loop), cwd: host.folder };
  const { kept, status } = await processes.start(request(loop, { spec }));
  const { kept: quick } = await processes.start(request("exit 4"));
  await processes.wait(quick.id, waiting);
  const waits = processes.wait(kept.id, waiting);
  host.hosts[0]?.kill("SIGKILL");
  await expect.poll(async () => (await processes.find(kept.id))?.status?.end).toBeNull();
  expect(isGroupRunning(status?.pid ?? 0)).toBe(true);
  expect((await processes.find(quick.id))?.status?.end).toMatchObject({ code: 4 });
  await expect(processes.write(kept.id, "x")).rejects.toMatchObject({ code: "process_input_closed" });
  writeFileSync(`${host.folder}/go`, "");
  expect((await waits).status?.end).toMatchObject({
    kind: "lost",
    why: expect.stringContaining("host ended"),
  });
  expect((await processes.read(kept.id, 0, 100)).text).toBe("before\nafter\n");
  await expect.poll(async () => (await store.find(kept.id))?.end).toMatchObject({ kind: "lost" });
  const reopen = vi.spyOn(store, "reopen");
  await processes.tidy();
  expect(reopen).not.toHaveBeenCalled(); // Each time somebody would hear of its end again.
  expect(host.hosts).toHaveLength(2);
});

test("what is killed has its grace to tidy up", async () => {
  const { host, request, open } = await world();
  const processes = open({ graceMs: 60_000 });
  const tidy = "echo asked; while ! [ -e go ]; do sleep 0.05; done; exit 3";
  const command = `trap '${tidy}' TERM; echo ready; while :; do sleep 0.05; done`;
  const spec = { ...localSpec(command), cwd: host.folder };
  const { kept } = await processes.start(request(command, { spec }));
  const output = async () => (await processes.read(kept.id, 0, 100)).text;
  await expect.poll(output).toBe("ready\n");
  const killed = processes.kill(kept.id, "person");
  await expect.poll(output).toContain("asked\n");
  writeFileSync(`${host.folder}/go`, "");
  expect((await killed).status?.end).toMatchObject({ kind: "exited", code: 3, by: "person" });
});

test("what outlived its host and is killed then was ended by who killed it, with an unknown code", async () => {
  const { host, request, store, open } = await world();
  const processes = open();
  const command = "(trap '' TERM; while :; do sleep 0.05; done) & echo ready; sleep 600";
  const { kept, status } = await processes.start(request(command));
  await expect.poll(async () => (await processes.read(kept.id, 0, 100)).text).toBe("ready\n");
  host.hosts[0]?.kill("SIGKILL");
  await expect.poll(() => host.hosts[0]?.signalCode).toBe("SIGKILL");
  const end = { kind: "exited", code: null, signal: null, by: "person", leftBehind: false };
  const killed = await processes.kill(kept.id, "person");
  expect(killed.status?.end).toEqual(end);
  expect(isGroupRunning(status?.pid ?? 0)).toBe(false);
  expect((await store.find(kept.id))?.end).toEqual(end);
});

test("what was never started, or is unknown to the host, is lost and can never be started", async () => {
  const { host, request, store, open } = await world();
  const processes = open();
  const { spec, ...kept } = request("touch again");
  const { kept: other } = await processes.start(request("exec sleep 600"));
  const [never, gone, now] = ["p_0000000001", "p_0000000002", "p_0000000003"] as (typeof other.id)[];
  const caps = { perSession: 16, inAll: 64 };
  for (const [id, at] of [
    [never, 1],
    [gone, 1],
    [now, Date.now()],
  ] as const)
    await store.add({ ...kept, id: id as typeof other.id, home: processes.home, pty: false }, caps, at);
  await store.started(gone as typeof other.id, 2);
  await processes.reconcile();
  const endOf = async (id = other.id) => (await store.find(id))?.end;
  expect(await endOf(never)).toEqual({ kind: "lost", why: "Baton ended before it started this process." });
  expect(await endOf(gone)).toEqual({ kind: "lost", why: "The process host has no record of it." });
  expect((await store.find(other.id))?.state).toBe("running");
  // Another gateway may be about to start this one.
  expect((await store.find(now as typeof other.id))?.state).toBe("starting");
  const late = await host.client.request("spawn", {
    spec: { ...spec, cwd: host.folder, id: never as typeof other.id },
  });
  expect(late.end).toMatchObject({ kind: "lost" });
  expect(existsSync(`${host.folder}/again`)).toBe(false);
});

test("what was thought lost runs again if its host runs it, and its true end counts", async () => {
  const { request, store, open } = await world();
  const processes = open();
  const lost = { kind: "lost", why: "No gateway has run for a day." } as const;
  const { kept } = await processes.start(request("read -r code; exit $code"));
  const { kept: quick } = await processes.start(request("read -r code; exit $code"));
  for (const { id } of [kept, quick]) await store.ended(id, lost, Date.now());
  await processes.write(quick.id, "4\n");
  await expect.poll(async () => (await store.find(quick.id))?.end).toMatchObject({ code: 4 });
  await processes.tidy(); // As a gateway does from time to time.
  expect(await store.find(kept.id)).toMatchObject({ state: "running", end: null, endedAt: null });
  await processes.write(kept.id, "3\n");
  await expect.poll(async () => (await store.find(kept.id))?.end).toMatchObject({ code: 3 });
});

test("one that was thought lost long ago is not forgotten while it runs", async () => {
  const { request, store, open } = await world();
  const processes = open({ keptMs: 1_000 });
  const { kept } = await processes.start(request("sleep 600"));
  await store.ended(kept.id, { kind: "lost", why: "No gateway has run for a day." }, 1);
  await processes.tidy();
  expect(await store.find(kept.id)).toMatchObject({ state: "running", end: null });
  expect((await processes.kill(kept.id, "person")).kept.end).toMatchObject({ by: "person" });
});

test("a host that hangs keeps nobody who waits or looks", async () => {
  const { host, request, store, open } = await world();
  const processes = open();
  const { kept, status } = await processes.start(request("sleep 600"));
  const { pid } = await helloOf(host.client);
  process.kill(pid, "SIGSTOP");
  try {
    const timeoutMs = 600_000;
    const asked = await processes.wait(kept.id, { timeoutMs, signal: AbortSignal.timeout(1) });
    expect(asked).toMatchObject({ kept: { id: kept.id, state: "running" }, status: null });
    expect(await processes.list({})).toMatchObject([{ kept: { id: kept.id }, status: null }]);
    // That it does not answer does not mean that it knows nothing.
    await store.ended(kept.id, { kind: "lost", why: "No gateway has run for a day." }, 1);
    await expect(processes.tidy()).rejects.toMatchObject({ code: "process_host_slow" });
    expect((await store.find(kept.id))?.end).toMatchObject({ kind: "lost" });
  } finally {
    process.kill(pid, "SIGCONT");
  }
  expect((await processes.status(kept.id)).status.pid).toBe(status?.pid);
});

test("what a process left behind is forgotten, though it ended while no gateway ran", async () => {
  const { host, request, store, open } = await world();
  const first = open();
  const command = "while ! [ -e go ]; do sleep 0.05; done & exit 0";
  const spec = { ...localSpec(command), cwd: host.folder };
  const { kept } = await first.start(request(command, { spec }));
  await expect.poll(async () => (await store.find(kept.id))?.end).toMatchObject({ leftBehind: true });
  const pid = (await first.status(kept.id)).status.pid;
  await first.shut();
  writeFileSync(`${host.folder}/go`, "");
  await expect.poll(() => isGroupRunning(pid)).toBe(false);
  const next = open();
  await expect
    .poll(async () => {
      await next.reconcile();
      return (await store.find(kept.id))?.end;
    })
    .toMatchObject({ leftBehind: false });
});

test("the end of a process that ends at once is saved, however slow the store is", async () => {
  const { request, store, open } = await world();
  const started = store.started.bind(store);
  const saved = vi.spyOn(store, "started").mockImplementation(async (id, at) => {
    await expect.poll(async () => (await store.find(id))?.state).toBe("ended");
    await started(id, at);
  });
  const processes = open();
  const { kept } = await processes.start(request("exit 6"));
  const results = () => new Set(saved.mock.settledResults.map(({ type }) => type));
  await expect.poll(results).toEqual(new Set(["fulfilled"])); // Once or twice: a look at the host saves it, too.
  expect(await store.find(kept.id)).toMatchObject({ state: "ended", end: { code: 6 } });
});

test("a gateway hears of the end of what another one started and left", async () => {
  const { request, store, open } = await world();
  const [one, other] = [open(), open()];
  await other.reconcile();
  const { kept } = await one.start(request("read -r code; exit $code"));
  await other.listen();
  await one.write(kept.id, "3\n");
  await one.shut();
  await expect.poll(async () => (await store.find(kept.id))?.end).toMatchObject({ code: 3 });
});

test("a process runs, although the store failed for a moment after it was started", async () => {
  const { request, store, open } = await world();
  const started = vi.spyOn(store, "started").mockRejectedValueOnce(new Error("database is locked"));
  const processes = open();
  const { kept } = await processes.start(request("exec sleep 600"));
  await expect.poll(async () => (await store.find(kept.id))?.state).toBe("running");
  expect(started.mock.settledResults[0]?.type).toBe("rejected");
});

test("nobody waits for the store after the start, and it agrees with what was returned", async () => {
  const { request, store, open } = await world();
  let save = (): void => {};
  const maySave = new Promise<void>((resolve) => {
    save = resolve;
  });
  const started = store.started.bind(store);
  // Every call must wait: if somebody asks the host just then, its answer is saved, too.
  const saved = vi.spyOn(store, "started").mockImplementation(async (id, at) => {
    await maySave;
    await started(id, at);
  });
  const processes = open();
  const { kept, status } = await processes.start(request("exec sleep 600"));
  expect((await store.find(kept.id))?.state).toBe("starting");
  await expect.poll(() => saved).toHaveBeenCalled();
  const shut = processes.shut().then(() => "shut");
  expect(await Promise.race([shut, nextLook("waits for it")])).toBe("waits for it");
  save();
  await shut;
  expect(await store.find(kept.id)).toEqual(kept);
  expect(kept.startedAt).toBe(status?.startedAt);
});

test("nothing is forgotten once it is shut, because nobody could remove the output", async () => {
  const { request, store, open } = await world();
  const onProblem = vi.fn();
  const processes = open({ keptMs: 0, onProblem });
  const forget = vi.spyOn(store, "forget").mockResolvedValue([]);
  const { kept } = await processes.start(request("true"));
  await processes.wait(kept.id, waiting);
  await expect.poll(() => forget.mock.calls.length).toBeGreaterThan(0);
  await expect.poll(async () => (await store.find(kept.id))?.state).toBe("ended");
  forget.mockRestore();
  await processes.shut();
  await processes.tidy();
  expect(await store.find(kept.id)).not.toBeNull();
  expect(onProblem).not.toHaveBeenCalled();
});

test("what was started just before a gateway ends is known to run", async () => {
  const { request, store, open } = await world();
  const processes = open();
  const { kept } = await processes.start(request("exec sleep 600"));
  await processes.shut();
  expect((await store.find(kept.id))?.state).toBe("running");
});

test("a host that cannot be started again is reported once, however often it is tried", async () => {
  const { host, request, store, open } = await world();
  const onProblem = vi.fn();
  const start = vi.fn(() => host.start().then(() => null));
  const processes = open({ start, onProblem });
  const { status } = await processes.start(request("exec sleep 600"));
  onTestFinished(() => void process.kill(-(status?.pid ?? 0), "SIGKILL"));
  const tried = vi.spyOn(store, "attend");
  start.mockRejectedValue(new Error("no memory"));
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  host.hosts[0]?.kill("SIGKILL");
  while (tried.mock.calls.length < 4) await vi.advanceTimersByTimeAsync(1_000);
  expect(onProblem.mock.calls).toEqual([
    [expect.stringMatching(/^Can't reach the process host: .*can't start: no memory/), expect.anything()],
  ]);
});

test("what a process left behind keeps its output from being removed until it has ended", async () => {
  const { host, request, open } = await world();
  const processes = open({ keptMs: 0 });
  const { kept } = await processes.start(
    request("(until [ -e go ]; do sleep 0.02; done) & exit 0", {
      spec: { ...localSpec("(until [ -e go ]; do sleep 0.02; done) & exit 0"), cwd: host.folder },
    }),
  );
  await processes.wait(kept.id, waiting);
  await expect
    .poll(async () => (await processes.find(kept.id))?.kept.end)
    .toMatchObject({ leftBehind: true });
  await expect(host.client.request("forget", { id: kept.id })).rejects.toMatchObject({
    code: "process_still_running",
  });
  writeFileSync(`${host.folder}/go`, "");
  await expect
    .poll(async () => {
      await host.client.request("forget", { id: kept.id }).catch(() => {});
      return existsSync(`${host.folder}/${kept.id}.out`);
    })
    .toBe(false);
});

test("what a process left behind can be ended, and the store knows it then", async () => {
  const { request, open } = await world();
  const processes = open();
  const { kept, status } = await processes.start(request("sleep 600 & exit 0"));
  await processes.wait(kept.id, waiting);
  await expect
    .poll(async () => (await processes.find(kept.id))?.kept.end)
    .toMatchObject({ leftBehind: true });
  const killed = await processes.kill(kept.id, "person");
  expect(killed.kept.end).toEqual({ kind: "exited", code: 0, signal: null, by: "itself", leftBehind: false });
  expect(isGroupRunning(status?.pid ?? 0)).toBe(false);
});

test("followers hear of output", async () => {
  const { request, open } = await world();
  const processes = open();
  const { kept } = await processes.start(request("while read -r line; do echo $line; done"));
  const heard = vi.fn();
  const stop = await processes.follow(kept.id, heard);
  await processes.write(kept.id, "hello\n");
  await expect.poll(() => heard.mock.lastCall).toEqual([6]);
  stop();
  await processes.write(kept.id, "again\n");
  await expect.poll(async () => (await processes.read(kept.id, 0, 100)).to).toBe(12);
  expect(heard.mock.lastCall).toEqual([6]);
});
