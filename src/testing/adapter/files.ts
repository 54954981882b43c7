/** Files, both ways: byte for byte, read only when asked and only as much as was allowed. */
import { mkdtemp, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type LocalFile, SendError } from "../../adapter/adapter.js";
import type { Stage } from "./stage.js";

const BYTES = Uint8Array.from({ length: 3_000 }, (_, n) => (n * 7) % 256);
const NOTES = { name: "notes.txt", mediaType: "text/plain", bytes: new TextEncoder().encode("Grüße\n") };

export function fileCases(stage: Stage): void {
  describe("files", () => {
    let folder: string;
    beforeEach(async ({ skip }) => {
      folder = await mkdtemp(join(tmpdir(), "baton-files-"));
      skip(!stage.fixture.files, "There are no files here.");
      await stage.connect();
    });
    afterEach(() => rm(folder, { recursive: true, force: true }));

    it("come with a message", async () => {
      const picture = { name: "picture.png", mediaType: "image/png", bytes: BYTES };
      const { text, files = [] } = await stage.hear({ text: "look", files: [picture] });
      expect(text).toBe("look");
      expect(files).toHaveLength(1);
      expect(files[0]?.mediaType).toBe("image/png");
      expect(Buffer.from((await files[0]?.read(10_000, new AbortController().signal)) ?? [])).toEqual(
        Buffer.from(BYTES),
      );
    });

    it("come without a word", async () => {
      const { text, files = [] } = await stage.hear({ text: "", files: [NOTES] });
      expect([text, files.length]).toEqual(["", 1]);
      expect(Buffer.from((await files[0]?.read(10_000, new AbortController().signal)) ?? [])).toEqual(
        Buffer.from(NOTES.bytes),
      );
    });

    it("that are larger than allowed are not read", async () => {
      const { files = [] } = await stage.hear({ text: "look", files: [{ ...NOTES, bytes: BYTES }] });
      await expect(files[0]?.read(100, new AbortController().signal)).rejects.toThrow();
      expect((await files[0]?.read(BYTES.byteLength, new AbortController().signal))?.byteLength).toBe(
        BYTES.byteLength,
      );
    });

    it("that nobody waits for any more are not read", async () => {
      const { files = [] } = await stage.hear({ text: "look", files: [NOTES] });
      await expect(files[0]?.read(10_000, AbortSignal.abort())).rejects.toThrow();
    });

    const local = async (name: string, mediaType: string, bytes: Uint8Array): Promise<LocalFile> => {
      const path = join(folder, "kept");
      await writeFile(path, bytes);
      return { path, name, mediaType };
    };
    const shownFiles = async () =>
      ((await stage.fixture.files?.()) ?? []).map(({ name, bytes }) => ({ name, bytes: Buffer.from(bytes) }));

    it("go beside a message", async ({ skip }) => {
      if (!stage.adapter.capabilities.maxFile) return skip("Files cannot be sent.");
      const said = await stage.send("the notes");
      const id = await stage.send("", { file: await local("notes.txt", "text/plain", NOTES.bytes) });
      expect(id).toMatch(/\S/);
      expect(id).not.toBe(said);
      expect(await shownFiles()).toEqual([{ name: "notes.txt", bytes: Buffer.from(NOTES.bytes) }]);
      const shown = await stage.fixture.shown();
      expect(shown.join("\n")).toContain(stage.asShown("the notes").join("\n"));
    });

    it("that are gone, or too large, are never sent, and that is said", async ({ skip }) => {
      const { maxFile } = stage.adapter.capabilities;
      if (!maxFile) return skip("Files cannot be sent.");
      const large = await local("large.bin", "application/octet-stream", new Uint8Array());
      await truncate(large.path, maxFile + 1);
      for (const file of [large, { ...large, path: join(folder, "gone") }]) {
        const error = await stage.send("", { file }).catch((thrown: unknown) => thrown);
        expect(error).toBeInstanceOf(SendError);
        expect(error).toMatchObject({
          outcome: "permanent",
          message: expect.stringContaining("large.bin"),
        });
      }
      expect(await shownFiles()).toEqual([]);
    });

    it("go as they are, whatever they are called", async ({ skip }) => {
      if (!stage.adapter.capabilities.maxFile) return skip("Files cannot be sent.");
      const name = '../../\u202etxt.\u0007 naïve "name".bin';
      await stage.send("", { file: await local(name, "application/octet-stream", BYTES) });
      expect((await shownFiles()).map(({ bytes }) => bytes)).toEqual([Buffer.from(BYTES)]);
    });
  });
}
