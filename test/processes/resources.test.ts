/**
 * What background processes cost: a child that prints without end, many processes over time, many at once. Memory is
 * compared with what it was before, never with the clock.
 */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { type HostWorld, helloOf, hostWorld } from "../support/process-host.js";
import { ProcessesProcess } from "../support/processes-process.js";

const worlds: HostWorld[] = [];
const gateways: ProcessesProcess[] = [];
afterEach(async () => {
  for (const gateway of gateways.splice(0)) await gateway.kill();
  for (const made of worlds.splice(0)) await made.remove();
});

function world(): HostWorld {
  const made = hostWorld();
  worlds.push(made);
  return made;
}

const MB = 1024 * 1024;
const GIGABYTES = process.env.BATON_TEST_FULL ? 10 : 1;

/** The memory of a process that is its own, in megabytes. */
function memoryOf(pid: number): number {
  const rss = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return Number(rss) / 1024;
}

function outputIn(folder: string): number {
  const files = readdirSync(folder).filter((file) => file.includes(".out"));
  const sizeOf = (file: string) => statSync(join(folder, file), { throwIfNoEntry: false })?.size ?? 0;
  return files.reduce((sum, file) => sum + sizeOf(file), 0);
}

test.runIf(process.platform === "linux")(
  `a child prints ${GIGABYTES} GB: memory and files stay bounded, and others are answered`,
  { timeout: 600_000 },
  async () => {
    const { folder, client } = world();
    const { pid: host } = await helloOf(client);
    const gateway = await ProcessesProcess.open(folder, `sqlite:${join(folder, "baton.db")}`);
    gateways.push(gateway);
    const start = async (command: string) =>
      (await gateway.call("start", { command, cwd: "/", pty: null })).kept.id;
    const other = await start("while read -r line; do echo got $line; done");
    const [hostBefore, before] = [memoryOf(host), await gateway.call("memory")];
    const id = await start(`yes "$(printf '%099d')" | head -c ${GIGABYTES}G; echo; read -r go; echo the end`);
    let [hostMost, most, largest, answers] = [0, 0, 0, 0];
    for (;;) {
      const { process } = await gateway.call("poll", id, 100_000);
      answers += 1;
      await gateway.call("write", other, `${answers}\n`);
      const last = async () => (await gateway.call("read", other, -100, 100)).text;
      await expect.poll(last).toContain(`got ${answers}\n`);
      hostMost = Math.max(hostMost, memoryOf(host));
      most = Math.max(most, await gateway.call("memory"));
      largest = Math.max(largest, outputIn(folder));
      if (process.status?.end) break;
      // Its input is read when it has printed everything.
      if (answers === 1) await gateway.call("write", id, "go\n");
    }
    const grown = (most - before) / MB;
    console.log(
      `${GIGABYTES} GB: gateway +${grown.toFixed(0)} MB, host +${(hostMost - hostBefore).toFixed(0)} MB, files at most ${(largest / MB).toFixed(0)} MB, ${answers} answers meanwhile`,
    );
    const { text } = await gateway.call("read", id, -200_000, 200_000);
    expect(text).toMatch(/0{99}\n/);
    expect(text.endsWith("\nthe end\n")).toBe(true);
    await expect.poll(() => outputIn(folder)).toBeLessThan(16 * MB);
    expect(grown).toBeLessThan(30);
    expect(memoryOf(host)).toBeLessThan(100);
  },
);

test.runIf(process.platform === "linux")(
  "500 processes over time leave no descriptor, timer, file or process behind",
  { timeout: 600_000 },
  async () => {
    const { client, spawn, folder, ended } = world();
    const { pid: host } = await helloOf(client);
    const round = async (count: number): Promise<void> => {
      const pty = { cols: 80, rows: 24 };
      const all = await Promise.all(
        Array.from({ length: count }, (_, n) => spawn("echo hello", { pty: n % 5 === 0 ? pty : null })),
      );
      for (const { id } of all) {
        await client.request("follow", { id });
        await ended(id);
        await client.request("forget", { id });
      }
    };
    const left = () => ({
      descriptors: readdirSync(`/proc/${host}/fd`).length,
      files: readdirSync(folder).sort(),
      children: readFileSync(`/proc/${host}/task/${host}/children`, "utf8"),
    });
    await round(20);
    const before = left();
    const memory = memoryOf(host);
    for (let n = 0; n < 24; n++) await round(20);
    await expect.poll(left).toEqual(before);
    expect(await client.request("list", {})).toEqual([]);
    console.log(`500 processes: the host has ${(memoryOf(host) - memory).toFixed(0)} MB more`);
  },
);

test.runIf(process.platform === "linux")("a host with 64 children takes at most 80 MB", async () => {
  const { client, spawn } = world();
  const { pid: host } = await helloOf(client);
  const pty = { cols: 80, rows: 24 };
  const all = await Promise.all(
    Array.from({ length: 64 }, (_, n) =>
      spawn("seq 1 5000; exec sleep 600", { pty: n % 4 === 0 ? pty : null }),
    ),
  );
  for (const { id } of all) {
    await expect
      .poll(async () => (await client.request("read", { id, from: -10, limit: 10 })).text)
      .toContain("5000");
  }
  console.log(`64 children: the host takes ${memoryOf(host).toFixed(0)} MB`);
  expect(memoryOf(host)).toBeLessThan(80);
});
