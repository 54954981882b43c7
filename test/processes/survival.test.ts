/**
 * Background processes while everything around them is killed: ten kinds at once. Afterwards each is what it must be:
 * its output is complete and in order, its exit code is right or said to be lost, its input works, and nothing ran twice.
 */
import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import type { ProcessId } from "../../src/session/ids.js";
import { isGroupRunning } from "../../src/util/process-group.js";
import { ProcessesProcess } from "../support/processes-process.js";

const PTY = { cols: 80, rows: 24 };

/** Each says that it began, in a file of its own. `go` begins the outage, `end` ends those that are left. */
const WAIT = (file: string) => `until [ -e ${file} ]; do sleep 0.02; done`;
const KINDS = {
  quiet: `printf x; ${WAIT("end")}; exit 3`,
  chatty: `i=0; until [ -e end ]; do i=$((i+1)); echo "line $i"; sleep 0.002; done; echo "total $i"`,
  long: `seq 1 100000; ${WAIT("go")}; seq 100001 200000`,
  reader: `while read -r line; do echo "got $line"; done; echo over; exit 5`,
  python: "exec python3 -q -i",
  endsWell: WAIT("go"),
  endsBadly: `${WAIT("go")}; exit 7`,
  isSignalled: `${WAIT("go")}; kill -USR1 $$`,
  stubborn: `trap '' TERM; echo ready; while :; do sleep 0.1; done`,
  forksTwice: `(sleep 600 & echo $! > grandchild) & wait $!; ${WAIT("go")}; exit 9`,
} as const;
type Kind = keyof typeof KINDS;
const kinds = Object.keys(KINDS) as Kind[];

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

async function world() {
  const root = mkdtempSync(join(tmpdir(), "baton-survival-"));
  const folder = join(root, "processes");
  const store = `sqlite:${join(root, "baton.db")}`;
  const pids = new Map<Kind, number>();
  const ids = new Map<Kind, ProcessId>();
  cleanUps.push(() => {
    for (const pid of [...pids.values(), hostPid(folder)]) kill(-pid) || kill(pid);
    rmSync(root, { recursive: true, force: true });
  });
  const open = async (protocols?: readonly number[]): Promise<ProcessesProcess> => {
    const gateway = await ProcessesProcess.open(folder, store, protocols);
    cleanUps.push(() => gateway.kill());
    return gateway;
  };
  const idOf = (kind: Kind): ProcessId => ids.get(kind) as ProcessId;
  return {
    root,
    folder,
    open,
    idOf,
    pidOf: (kind: Kind): number => pids.get(kind) as number,
    signal: (file: string) => writeFileSync(join(root, file), ""),
    startAll: async (gateway: ProcessesProcess): Promise<void> => {
      for (const kind of kinds) {
        const command = `echo >> began-${kind}; ${KINDS[kind]}`;
        const pty = kind === "python" ? PTY : null;
        const { kept, status } = await gateway.call("start", { command, cwd: root, pty });
        ids.set(kind, kept.id);
        pids.set(kind, status?.pid ?? 0);
      }
      await gateway.call("write", idOf("reader"), "before\n");
      await gateway.call("write", idOf("python"), "x = 41\n");
      for (const kind of ["quiet", "reader", "python", "stubborn"] as const) {
        await expect.poll(async () => (await outputOf(gateway, idOf(kind))).length).toBeGreaterThan(0);
      }
      await expect.poll(() => readIf(join(root, "grandchild"))).toMatch(/\d/);
    },
    /** Nothing began twice. */
    begunOnce: () => kinds.map((kind) => readIf(join(root, `began-${kind}`))).every((text) => text === "\n"),
  };
}

async function outputOf(gateway: ProcessesProcess, id: ProcessId): Promise<string> {
  return (await gateway.call("read", id, 0, 8_000_000)).text.replaceAll("\r", "");
}

async function endOf(gateway: ProcessesProcess, id: ProcessId) {
  await expect.poll(async () => (await gateway.call("find", id)).kept.state).toBe("ended");
  return (await gateway.call("find", id)).kept.end;
}

function readIf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

function kill(pid: number): boolean {
  try {
    return pid !== 0 && process.kill(pid, "SIGKILL");
  } catch {
    return false;
  }
}

function hostPid(folder: string): number {
  return Number(/"pid":(\d+)/.exec(readIf(join(folder, "host.lock")))?.[1] ?? 0);
}

function hash(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

function numbers(from: number, to: number): string {
  return Array.from({ length: to - from + 1 }, (_, n) => `${from + n}\n`).join("");
}

/** Those that the host has not taken note of. */
function zombiesOf(parent: number): string[] {
  return readdirSync("/proc").filter((pid) => {
    const stat = /^\d+$/.test(pid) ? readIf(`/proc/${pid}/stat`) : "";
    const [state, ppid] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return state === "Z" && Number(ppid) === parent;
  });
}

const exited = { kind: "exited", signal: null, by: "itself", leftBehind: false };

/** Everything that can be known after the gateways were killed and the host was not. */
async function allIsRight(made: Awaited<ReturnType<typeof world>>, gateway: ProcessesProcess): Promise<void> {
  const { idOf } = made;
  expect(await endOf(gateway, idOf("endsWell"))).toEqual({ ...exited, code: 0 });
  expect(await endOf(gateway, idOf("endsBadly"))).toEqual({ ...exited, code: 7 });
  expect(await endOf(gateway, idOf("isSignalled"))).toEqual({
    ...exited,
    code: null,
    signal: "SIGUSR1",
    by: "another",
  });
  expect(await endOf(gateway, idOf("forksTwice"))).toEqual({ ...exited, code: 9, leftBehind: true });
  expect(await endOf(gateway, idOf("long"))).toEqual({ ...exited, code: 0 });
  expect(hash(await outputOf(gateway, idOf("long")))).toBe(hash(numbers(1, 200_000)));

  await gateway.call("write", idOf("reader"), "after\n");
  await gateway.call("close", idOf("reader"));
  expect(await endOf(gateway, idOf("reader"))).toEqual({ ...exited, code: 5 });
  expect(await outputOf(gateway, idOf("reader"))).toBe("got before\ngot after\nover\n");

  await gateway.call("write", idOf("python"), "print(x + 1)\n");
  await expect.poll(() => outputOf(gateway, idOf("python"))).toContain("\n42\n");
  await gateway.call("write", idOf("python"), "exit(4)\n");
  expect(await endOf(gateway, idOf("python"))).toEqual({ ...exited, code: 4 });

  expect((await gateway.call("kill", idOf("stubborn"), "person")).kept.end).toMatchObject({
    signal: "SIGKILL",
    by: "person",
  });
  expect(isGroupRunning(made.pidOf("stubborn"))).toBe(false);
  await gateway.call("kill", idOf("forksTwice"), "person");
  expect(isGroupRunning(made.pidOf("forksTwice"))).toBe(false);

  made.signal("end");
  expect(await endOf(gateway, idOf("quiet"))).toEqual({ ...exited, code: 3 });
  expect(await outputOf(gateway, idOf("quiet"))).toBe("x");
  expect(await endOf(gateway, idOf("chatty"))).toEqual({ ...exited, code: 0 });
  expectChatty(await outputOf(gateway, idOf("chatty")));

  expect(made.begunOnce()).toBe(true);
  expect(zombiesOf(hostPid(made.folder))).toEqual([]);
}

function expectChatty(output: string): void {
  const total = Number(/total (\d+)\n$/.exec(output)?.[1]);
  expect(output).toBe(
    `${Array.from({ length: total }, (_, n) => `line ${n + 1}\n`).join("")}total ${total}\n`,
  );
}

/** Those that end during the outage have ended: nobody but the host saw it. */
async function outage(made: Awaited<ReturnType<typeof world>>): Promise<void> {
  made.signal("go");
  const ending = ["endsWell", "endsBadly", "isSignalled", "long"] as const;
  await expect.poll(() => ending.filter((kind) => isGroupRunning(made.pidOf(kind)))).toEqual([]);
  await expect
    .poll(() => readIf(join(made.folder, `${made.idOf("long")}.json`)))
    .toContain('"kind":"exited"');
}

describe("ten processes", { timeout: 180_000 }, () => {
  test("are all right after the gateway was killed", async () => {
    const made = await world();
    const first = await made.open();
    await made.startAll(first);
    await first.kill();
    await outage(made);
    const second = await made.open();
    await second.call("reconcile");
    await allIsRight(made, second);
  });

  test("are all right after one of two gateways was killed, and then the other", async () => {
    const made = await world();
    const [first, second] = [await made.open(), await made.open()];
    await made.startAll(first);
    await first.kill();
    await made.signal("go");
    await expect
      .poll(async () => (await second.call("find", made.idOf("endsBadly"))).kept.end)
      .toMatchObject({
        code: 7,
      });
    await second.kill();
    await outage(made);
    const third = await made.open();
    await third.call("reconcile");
    await allIsRight(made, third);
  });

  test.each([
    ["the next", [1, 2]],
    ["the one after it, which still speaks the first", [1, 3]],
  ])("are all right if a gateway of %s version comes after", async (_, protocols) => {
    const made = await world();
    const first = await made.open();
    await made.startAll(first);
    await first.kill();
    await outage(made);
    const second = await made.open(protocols);
    await second.call("reconcile");
    await allIsRight(made, second);
  });

  test("keep their output if the host is killed too, and what nobody saw is lost", async () => {
    const made = await world();
    const first = await made.open();
    await made.startAll(first);
    await first.kill();
    kill(hostPid(made.folder));
    made.signal("go");
    const ending = ["endsWell", "endsBadly", "isSignalled", "long", "python", "reader"] as const;
    await expect.poll(() => ending.filter((kind) => isGroupRunning(made.pidOf(kind)))).toEqual([]);
    const second = await made.open();
    await second.call("reconcile");
    for (const kind of ending) expect(await endOf(second, made.idOf(kind))).toMatchObject({ kind: "lost" });
    expect(hash(await outputOf(second, made.idOf("long")))).toBe(hash(numbers(1, 200_000)));
    // Its input ended with the host.
    expect(await outputOf(second, made.idOf("reader"))).toBe("got before\nover\n");
    // What it left behind goes on, but not the process itself.
    expect(await endOf(second, made.idOf("forksTwice"))).toMatchObject({ kind: "lost" });
    expect(isGroupRunning(made.pidOf("forksTwice"))).toBe(true);
    expect(await outputOf(second, made.idOf("forksTwice"))).toBe("");
    for (const kind of ["quiet", "chatty", "stubborn"] as const) {
      expect((await second.call("find", made.idOf(kind))).kept.state).toBe("running");
    }
    expect((await second.call("kill", made.idOf("stubborn"), "person")).kept.state).toBe("ended");
    expect(isGroupRunning(made.pidOf("stubborn"))).toBe(false);
    made.signal("end");
    expect(await endOf(second, made.idOf("quiet"))).toMatchObject({ kind: "lost" });
    expect(await endOf(second, made.idOf("chatty"))).toMatchObject({ kind: "lost" });
    expectChatty(await outputOf(second, made.idOf("chatty")));
    expect(await outputOf(second, made.idOf("quiet"))).toBe("x");
    expect(made.begunOnce()).toBe(true);
  });
});
