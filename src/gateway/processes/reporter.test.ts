/** A reporter over a store or a host that fails: it says so once, tries again, and loses nothing. */
import { afterEach, expect, it, vi } from "vitest";
import { until } from "../../../test/support/gateway-world.js";
import { openProcessWorld, type ProcessWorld } from "../../../test/support/process-world.js";
import { SILENT_HOME_MS } from "../../process/store.js";
import { BatonError } from "../../session/errors.js";
import { newProcessId } from "../../session/ids.js";

let world: ProcessWorld;
afterEach(async () => {
  vi.restoreAllMocks();
  await world.close();
});

it("tells of an end although the store failed at first, and reports the failure once", async () => {
  world = await openProcessWorld();
  const ann = world.world.chat("ann");
  const id = await world.start(ann, "read -r x", { notifyOnComplete: true });
  const due = vi.spyOn(world.store.reports, "due").mockRejectedValue(new Error("the disk is gone"));
  await world.processes.write(id, "\n");
  await until(() => due.mock.calls.length >= 3);
  expect(world.world.problems).toEqual(["Can't report about processes: the disk is gone"]);
  due.mockRestore();
  await until(() => ann.told.some((text) => text.includes(`${id} exited with code 0`)));
  expect(world.world.problems).toHaveLength(1);
});

it("tells of an end that the store knows of, though the host cannot be reached", async () => {
  world = await openProcessWorld();
  const ann = world.world.chat("ann");
  const id = await world.start(ann, "read -r x", { notifyOnComplete: true });
  vi.spyOn(world.processes, "listen").mockRejectedValue(new Error("no host"));
  await world.processes.write(id, "\n");
  await until(() => ann.told.some((text) => text.includes(`${id} exited with code 0`)));
  expect(world.world.problems).toEqual(["Can't look for background processes: no host"]);
});

it("says the last lines that match, though they could not be read when the process ended", async () => {
  world = await openProcessWorld({ gateway: { leaseMs: 3_600_000 } }); // Nothing else makes it look again.
  const ann = world.world.chat("ann");
  const lost = new BatonError("process_host_lost", "The process host does not answer.");
  const read = vi.spyOn(world.processes, "read").mockRejectedValue(lost);
  const id = await world.start(ann, "echo ERROR", { watchPatterns: ["ERROR"] });
  await expect.poll(async () => (await world.store.processes.find(id))?.state).toBe("ended");
  const before = read.mock.calls.length;
  await until(() => read.mock.calls.length > before);
  read.mockRestore();
  await until(() => ann.told.some((text) => text.includes("\n| ERROR")));
});

it("sends the last output of a process that ended before, though no host runs", async () => {
  world = await openProcessWorld();
  const ann = world.world.chat("ann");
  const id = await world.start(ann, "read -r x; echo over", { checkInterval: 30 });
  await world.world.gateway.stop({ drainMs: 0 });
  await world.processes.write(id, "\n");
  await expect.poll(async () => (await world.store.processes.find(id))?.state).toBe("ended");
  const host = await world.processes.about();
  process.kill(host && "pid" in host ? Number(host.pid) : Number.NaN, "SIGKILL");
  await expect.poll(() => world.processes.about()).toBeNull();
  await world.world.restart();
  await until(() => ann.told.some((text) => text.includes("printed:\n```\nover\n```")));
});

it("shows no output that its host does not give in time, and tells of the end all the same", async () => {
  world = await openProcessWorld();
  const ann = world.world.chat("ann");
  const id = await world.start(ann, "echo lines; read -r x", { notifyOnComplete: true });
  vi.spyOn(world.processes, "find").mockRejectedValue(new Error("The process host does not answer."));
  await world.processes.write(id, "\n");
  await until(() => ann.told.some((text) => text.includes(`${id} exited with code 0`)));
  expect(ann.told.at(-1)).toContain("It printed nothing, or its output is not available here.");
});

it("tells of a process whose home is gone for good", async () => {
  world = await openProcessWorld({ gateway: { leaseMs: 50 } });
  const ann = world.world.chat("ann");
  await ann.ask("hello");
  const { sessionId } = await ann.session();
  const id = newProcessId();
  const started = world.world.now - SILENT_HOME_MS - 1;
  const watch = { checkIntervalMs: null, notifyOnComplete: true, patterns: [] };
  const shown = { command: "make", workdir: "/", environment: "local", pty: false, walled: false };
  const caps = { perSession: 1, inAll: 1 };
  await world.store.processes.add(
    { id, home: "gone", sessionId, by: ann.source, ...shown, watch },
    caps,
    started,
  );
  await world.store.processes.started(id, started);
  // The gateway says once an hour that it is there.
  await world.store.processes.attend(world.processes.home, started);
  await until(() => ann.told.some((text) => text.includes(`(No gateway of its home folder`)));
});

it("tells of the true end of a process that was thought lost", async () => {
  world = await openProcessWorld();
  const ann = world.world.chat("ann");
  const id = await world.start(ann, "read -r x; exit 3", { notifyOnComplete: true });
  const reopen = vi.spyOn(world.store.processes, "reopen").mockResolvedValue(false); // Not before it is told.
  await world.store.processes.ended(id, { kind: "lost", why: "Nobody was there." }, world.world.now);
  await world.processes.tidy();
  await until(() => ann.told.some((text) => text.includes(`(Nobody was there`)));
  reopen.mockRestore();
  await world.processes.reconcile();
  expect((await world.store.processes.find(id))?.state).toBe("running");
  await world.processes.write(id, "\n");
  await until(() => ann.told.some((text) => text.includes(`${id} exited with code 3`)));
});

it("does not watch the output of a process that may not have been started yet", async () => {
  world = await openProcessWorld();
  const ann = world.world.chat("ann");
  await ann.ask("hello");
  const { sessionId } = await ann.session();
  const follow = vi.spyOn(world.processes, "follow");
  const id = newProcessId();
  const watch = { checkIntervalMs: null, notifyOnComplete: false, patterns: ["ERROR"] };
  const shown = { command: "make", workdir: "/", environment: "local", pty: false, walled: false };
  const process = { id, home: world.processes.home, sessionId, by: ann.source, ...shown, watch };
  await world.store.processes.add(process, { perSession: 9, inAll: 9 }, world.world.now);
  await world.start(ann, "echo ERROR; exec sleep 600", { watchPatterns: ["ERROR"] });
  await until(() => ann.told.some((text) => text.includes("\n| ERROR")));
  expect(follow.mock.calls.map(([which]) => which)).not.toContain(id);
  expect(world.world.problems).toEqual([]);
});
