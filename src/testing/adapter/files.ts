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

    let kept = 0;
    const local = async (name: string, mediaType: string, bytes: Uint8Array): Promise<LocalFile> => {
      kept += 1;
      const path = join(folder, `kept-${kept}`);
      await writeFile(path, bytes);
      return { path, name, mediaType };
    };
    const shownFiles = async () =>
      ((await stage.fixture.files?.()) ?? []).map(({ name, bytes }) => ({ name, bytes: Buffer.from(bytes) }));

    it("go beside a message", async ({ skip }) => {
      if (!stage.adapter.capabilities.maxFile) return skip("Files cannot be sent.");
      const said = await stage.send("the notes");
      const id = await stage.send("", { files: [await local("notes.txt", "text/plain", NOTES.bytes)] });
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
        const error = await stage.send("", { files: [file] }).catch((thrown: unknown) => thrown);
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
      await stage.send("", { files: [await local(name, "application/octet-stream", BYTES)] });
      expect((await shownFiles()).map(({ bytes }) => bytes)).toEqual([Buffer.from(BYTES)]);
    });

    it("go with the text that belongs to them, in one message", async ({ skip }) => {
      if (!stage.adapter.capabilities.maxCaption) return skip("Text and files are messages of their own.");
      const caption = "the **notes** <b> & more";
      for (const [name, mediaType] of [
        ["notes.txt", "text/plain"],
        ["picture.png", "image/png"],
      ] as const)
        await stage.send(caption, { files: [await local(name, mediaType, BYTES)] });
      expect((await shownFiles()).map(({ bytes }) => bytes)).toEqual([
        Buffer.from(BYTES),
        Buffer.from(BYTES),
      ]);
      await stage.expectShown([caption, caption]);
    });

    it("go together, in order, with one text for all of them", async ({ skip }) => {
      const { maxAlbum = 1, maxCaption } = stage.adapter.capabilities;
      if (maxAlbum < 2) return skip("Each file is a message of its own.");
      const pictures = [BYTES, BYTES.subarray(1), BYTES.subarray(2)].slice(0, maxAlbum);
      for (const [ending, mediaType] of [
        ["png", "image/png"],
        ["csv", "text/csv"],
      ] as const) {
        const files = await Promise.all(
          pictures.map((bytes, n) => local(`file-${n}.${ending}`, mediaType, bytes)),
        );
        expect(await stage.send(maxCaption ? "all of them" : "", { files })).toMatch(/\S/);
      }
      const sent = pictures.map((bytes) => Buffer.from(bytes));
      expect((await shownFiles()).map(({ bytes }) => bytes)).toEqual([...sent, ...sent]);
      if (maxCaption) await stage.expectShown(["all of them", "all of them"]);
    });

    it("that are recordings go as voice messages, or as plain files if the platform has none", async ({
      skip,
    }) => {
      const { maxFile, voice = false } = stage.adapter.capabilities;
      if (!maxFile) return skip("Files cannot be sent.");
      const recording = await local("voice.ogg", "audio/ogg", BYTES);
      await stage.send("", { files: [recording] });
      await stage.send("", { files: [{ ...recording, voice: true }] });
      const shown = (await stage.fixture.files?.()) ?? [];
      expect(shown.map(({ bytes }) => Buffer.from(bytes))).toEqual([Buffer.from(BYTES), Buffer.from(BYTES)]);
      expect(shown.map((file) => file.voice ?? false)).toEqual([false, voice]);
    });
  });
}
