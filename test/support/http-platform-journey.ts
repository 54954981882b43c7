/** What a person lives through on a platform, told once for those that a process is given by its settings. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { PlatformProcess, type PlatformProcessOptions } from "./http-platform-process.js";

export interface JourneyWorld {
  readonly options: Pick<PlatformProcessOptions, "platform" | "adapter" | "settings" | "secrets" | "people">;
  /** The process is there. */
  reached?(process: PlatformProcess): void;
  write(text: string): Promise<unknown>;
  writeAsStranger(text: string): Promise<unknown>;
  /** The platform posts again what was not answered, as it does after a while. */
  repeat?(): Promise<unknown>;
  /** What the person was told, oldest first. */
  told(): readonly string[];
  /** The next file is taken, and nobody says so. */
  swallowFile?(): void;
  /** What is in the files that the person was sent. */
  files?(): readonly string[];
  close(): Promise<void>;
}

export function journey(name: string, open: () => Promise<JourneyWorld>, longestPiece: number): void {
  describe(`a person on ${name}`, () => {
    let folder: string;
    let world: JourneyWorld;
    const processes: PlatformProcess[] = [];

    beforeEach(async () => {
      folder = await mkdtemp(join(tmpdir(), "baton-platform-"));
      world = await open();
    });
    afterEach(async () => {
      await Promise.all(processes.splice(0).map((process) => process.kill()));
      await world.close();
      await rm(folder, { recursive: true, force: true });
    });

    const start = async (
      how: Pick<PlatformProcessOptions, "isPatient" | "holdsReceipts"> = {},
    ): Promise<PlatformProcess> => {
      const process = await PlatformProcess.start({
        ...world.options,
        url: join(folder, "baton.db"),
        ...how,
      });
      processes.push(process);
      world.reached?.(process);
      return process;
    };
    const until = (holds: () => boolean): Promise<unknown> =>
      vi.waitUntil(holds, { interval: 5, timeout: 30_000 });
    const ask = async (text: string): Promise<string> => {
      const before = world.told().length;
      await world.write(text);
      await until(() => world.told().length > before);
      return world.told()[before] ?? "";
    };

    test("is answered, also by way of a tool, and at length", async () => {
      const process = await start();
      expect(await ask("hello")).toBe("You said: hello (1)");
      expect(await ask("have a look")).toContain("there");
      const before = world.told().length;
      await world.write("tell me something long");
      await until(() => world.told().at(-1)?.includes("Paragraph 119") ?? false);
      const pieces = world.told().slice(before);
      expect(pieces.length).toBeGreaterThan(2);
      for (const piece of pieces) expect(Buffer.byteLength(piece)).toBeLessThanOrEqual(longestPiece);
      const said = pieces.join("\n\n");
      for (let n = 0; n < 120; n++) expect(said.split(`Paragraph ${n}:`)).toHaveLength(2);
      expect(process.problems).toEqual([]);
    });

    test("begins anew and comes back", async () => {
      await start();
      await ask("the first thing");
      await ask("/new");
      expect(await ask("the second thing")).toBe("You said: the second thing (1)");
      expect(await ask("/resume 1")).toMatch(/\S/);
      expect(await ask("the third thing")).toBe("You said: the third thing (3)");
    });

    test("is answered once where the gateway was killed in the middle", async () => {
      const first = await start({ isPatient: true });
      await world.write("be patient");
      await first.until(({ kind }) => kind === "begun");
      await first.kill();
      expect(world.told()).toEqual([]);
      await start();
      await until(() => world.told().length > 0);
      expect(await ask("and now")).toBe("You said: and now (3)");
      expect(world.told()).toEqual(["You said: be patient (1)", "You said: and now (3)"]);
    });

    test("is answered once where the gateway was killed after it kept a message and before it said so", async ({
      skip,
    }) => {
      const { repeat } = world;
      if (!repeat) return skip("The platform does not post.");
      const first = await start({ isPatient: true, holdsReceipts: true });
      const written = world.write("be patient");
      await first.until(({ kind }) => kind === "kept");
      await first.kill();
      await written;
      expect(world.told()).toEqual([]);
      await start();
      await repeat();
      await until(() => world.told().length > 0);
      expect(await ask("and now")).toBe("You said: and now (3)");
      expect(world.told()).toEqual(["You said: be patient (1)", "You said: and now (3)"]);
    });

    test("has a file once, and is told if nobody knows, where the gateway was killed while it was sent", async ({
      skip,
    }) => {
      const { files, swallowFile } = world;
      if (!files || !swallowFile) return skip("The server takes no files.");
      const first = await start();
      swallowFile();
      await world.write("the file");
      await until(() => files().length === 1);
      await first.kill();
      const next = await start();
      await until(() =>
        world.told().some((text) => text.includes('My file "notes.txt" may be missing here')),
      );
      await ask("and now");
      expect(files()).toEqual(["what is in it\n"]);
      expect(next.problems).toEqual([
        expect.stringContaining("may not have arrived (unknown): the process ended while it was being sent"),
      ]);
    });

    test("has to be let in", async () => {
      const process = await start();
      await world.writeAsStranger("let me in");
      expect(await ask("hello")).toBe("You said: hello (1)");
      expect(process.said.flatMap(({ asked }) => asked ?? [])).toEqual(["hello"]);
    });
  });
}
