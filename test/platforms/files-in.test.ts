/**
 * A file that somebody sends, on every platform: its download stops in the middle, the gateway is killed with -9, and a
 * new one on the same home has the file byte for byte, with its message, which it answers once.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { BYTES, type FileWorld, NAME, WORLDS } from "../support/file-worlds.js";
import { PlatformProcess } from "../support/http-platform-process.js";

describe.each(Object.entries(WORLDS))("on %s", (_, open) => {
  let folder: string;
  let world: FileWorld;
  const processes: PlatformProcess[] = [];

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), "baton-file-in-"));
    world = await open();
  });
  afterEach(async () => {
    await Promise.all(processes.splice(0).map((process) => process.kill()));
    await world.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const start = async (): Promise<PlatformProcess> => {
    const process = await PlatformProcess.start({ ...world.options, url: join(folder, "baton.db") });
    processes.push(process);
    world.reached?.(process);
    return process;
  };
  const until = (holds: (told: readonly string[]) => boolean) =>
    vi.waitUntil(async () => holds(await world.told()), { interval: 20, timeout: 30_000 });
  const kept = (): Buffer[] => {
    const media = join(folder, "media");
    const names = readdirSync(folder).includes("media") ? readdirSync(media, { withFileTypes: true }) : [];
    return names.filter((each) => each.isFile()).map(({ name }) => readFileSync(join(media, name)));
  };

  it("a file that was half here when the gateway was killed is fetched by the next, and answered once", async () => {
    const isLarge = (body: Buffer): boolean => body.byteLength >= BYTES.byteLength;
    const first = await start();
    const held = world.faults.hold((_path, body) => isLarge(body));
    const sent = world.send("take this");
    await held;
    await sent;
    await first.kill();
    expect(first.said.map(({ kind }) => kind)).not.toContain("begun");
    expect([await world.told(), kept()]).toEqual([[], []]);

    const next = await start();
    await until((told) => told.length > 0);
    await world.write("and now");
    await until((told) => told.some((text) => text.includes("and now")));
    const told = await world.told();
    expect(told).toHaveLength(2);
    expect(told[0]).toContain("take this");
    expect(told[0]).toContain(`attached: ${NAME}`);
    expect(told.join()).not.toContain("not taken");
    expect(kept().map((bytes) => bytes.equals(BYTES))).toEqual([true]);
    expect(next.problems).toEqual([]);
  });
});
