/**
 * What background processes cost: many processes over time, many at once. `flood.test.ts` has a process that prints without
 * end.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { memoryOf } from "../support/memory-of.js";
import { helloOf } from "../support/process-host.js";
import { hostOfTest as world } from "../support/process-registry.js";
import { ProcessesProcess } from "../support/processes-process.js";

const SIZE = { cols: 80, rows: 24 };

test.runIf(process.platform === "linux")(
  "500 processes over time leave no descriptor, timer, file, row or process behind",
  { timeout: 600_000 },
  async () => {
    const { folder } = world();
    // The host is in the same process: so nothing of either is overlooked.
    const gateway = await ProcessesProcess.open(folder, `sqlite:${join(folder, "baton.db")}`);
    onTestFinished(() => gateway.kill());
    await gateway.call("serve");
    const round = async (): Promise<void> => {
      const all = await Promise.all(
        Array.from({ length: 20 }, (_, n) =>
          gateway.call("start", { command: "echo hello", cwd: "/", pty: n % 5 === 0 ? SIZE : null }),
        ),
      );
      await expect
        .poll(async () => (await gateway.call("list", {})).every(({ kept }) => kept.state === "ended"))
        .toBe(true);
      for (const { kept } of all)
        expect((await gateway.call("read", kept.id, 0, 100)).text.trim()).toBe("hello");
    };
    const left = async () => ({
      descriptors: readdirSync(`/proc/${gateway.pid}/fd`).length,
      resources: await gateway.call("resources"),
      files: readdirSync(folder).sort(),
      children: readFileSync(`/proc/${gateway.pid}/task/${gateway.pid}/children`, "utf8"),
    });
    /** After half an hour. */
    const forgotten = async (): Promise<void> => {
      await gateway.call("pass", 1_800_001);
      await gateway.call("tidy");
      expect(await gateway.call("list", {})).toEqual([]);
      await gateway.call("pass", -1_800_001);
    };
    await round();
    await forgotten();
    const before = await left();
    const memory = memoryOf(gateway.pid);
    for (let n = 0; n < 24; n++) await round();
    await forgotten();
    // What is open for a moment only may have been so before.
    const more = async () => {
      const { descriptors, resources, files, children } = await left();
      return {
        descriptors: Math.max(0, descriptors - before.descriptors),
        resources: Math.max(0, resources.length - before.resources.length),
        files,
        children,
      };
    };
    const { files, children } = before;
    await expect.poll(more).toEqual({ descriptors: 0, resources: 0, files, children });
    expect(before.files.filter((file) => file.startsWith("p_"))).toEqual([]);
    console.log(`500 processes: ${(memoryOf(gateway.pid) - memory).toFixed(0)} MB more`);
  },
);

test.runIf(process.platform === "linux")("a host with 64 children takes at most 80 MB", async () => {
  const { client, spawn } = world();
  const { pid: host } = await helloOf(client);
  const all = await Promise.all(
    Array.from({ length: 64 }, (_, n) =>
      spawn("seq 1 5000; exec sleep 600", { pty: n % 4 === 0 ? SIZE : null }),
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
