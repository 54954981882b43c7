/**
 * A file that the agent sends, on every platform: its upload stops in the middle, the gateway is killed with -9, and the
 * next one on the same home sends it once if it can know that it is not there; otherwise it says that it may be missing.
 * The next file arrives byte for byte.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { BYTES, type FileWorld, WORLDS } from "../support/file-worlds.js";
import { PlatformProcess } from "../support/http-platform-process.js";

let folder: string;
const processes: PlatformProcess[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "baton-file-out-"));
  writeFileSync(join(folder, "large.bin"), BYTES);
});
afterEach(async () => {
  await Promise.all(processes.splice(0).map((process) => process.kill()));
  rmSync(folder, { recursive: true, force: true });
});

async function start({ options, reached }: Pick<FileWorld, "options" | "reached">): Promise<PlatformProcess> {
  const process = await PlatformProcess.start({ ...options, url: join(folder, "baton.db") });
  processes.push(process);
  reached?.(process);
  return process;
}

const MISSING = "may be missing here";

describe.each(Object.entries(WORLDS))("on %s", (_, open) => {
  let world: FileWorld;
  beforeEach(async () => {
    world = await open();
  });
  afterEach(async () => {
    await Promise.all(processes.splice(0).map((process) => process.kill()));
    await world.close();
  });
  const until = (holds: (told: readonly string[]) => boolean) =>
    vi.waitUntil(async () => holds(await world.told()), { interval: 20, timeout: 30_000 });
  const equal = async (): Promise<boolean[]> =>
    (await world.files()).map((bytes) => Buffer.from(bytes).equals(BYTES));

  it("a file that was half there when the gateway was killed is there once, or may be missing; the next is there", async () => {
    const first = await start(world);
    const held = (world.uploads ?? world.faults).holdUpload(BYTES.byteLength);
    await world.write("the large file");
    await held;
    await first.kill();
    expect(await world.files()).toEqual([]);

    const next = await start(world);
    await until((told) => told.some((text) => text.includes("You said: the large file")));
    if (!world.finds) await until((told) => told.some((text) => text.includes(MISSING)));
    expect(await equal()).toEqual(world.finds ? [true] : []);
    const problems = world.finds ? [] : [expect.stringContaining("may not have arrived (unknown)")];
    await vi.waitUntil(() => next.problems.length >= problems.length, { timeout: 30_000 });
    expect(next.problems).toEqual(problems);

    await world.write("again the large file");
    await until((told) => told.some((text) => text.includes("You said: again the large file")));
    expect(await equal()).toEqual(world.finds ? [true, true] : [true]);
    const missing = (await world.told()).filter((text) => text.includes(MISSING));
    expect(missing).toHaveLength(world.finds ? 0 : 1);
    await vi.waitUntil(() => next.problems.length >= problems.length, { timeout: 30_000 });
    expect(next.problems).toEqual(problems);
  });

  it("a file that was taken when the gateway was killed is there once, and may be missing", async ({
    skip,
  }) => {
    const { swallowFile } = world;
    if (!swallowFile) return skip("The platform's own journey has it.");
    const first = await start(world);
    swallowFile();
    await world.write("the large file");
    await vi.waitUntil(async () => (await world.files()).length === 1, { interval: 20, timeout: 30_000 });
    await first.kill();
    const next = await start(world);
    await until((told) => told.some((text) => text.includes(MISSING)));
    expect(await equal()).toEqual([true]);
    await vi.waitUntil(() => next.problems.length > 0, { timeout: 30_000 });
    expect(next.problems).toEqual([expect.stringContaining("may not have arrived (unknown)")]);
  });
});
