import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { RemoteFile } from "../adapter/adapter.js";
import { Media } from "./media.js";

const MAX_BYTES = 20 * 1024 * 1024;
let home: string;
let folder: string;
let media: Media;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "baton-media-"));
  folder = join(home, "media");
  media = new Media(folder);
});
afterEach(() => rmSync(home, { recursive: true }));

const remote = (file: Partial<RemoteFile> = {}): RemoteFile => ({
  mediaType: "text/plain",
  read: async () => Buffer.from("hello"),
  ...file,
});

describe("the media store", () => {
  it("keeps files byte for byte, private, under names of its own", async () => {
    const { attachments, problems } = await media.take([remote({ name: "Notes.TXT" }), remote()]);
    expect(problems).toEqual([]);
    expect(attachments).toMatchObject([
      { name: "Notes.TXT", mediaType: "text/plain", file: expect.stringMatching(/^[0-9a-f]{32}\.txt$/) },
      { name: "file", file: expect.stringMatching(/^[0-9a-f]{32}$/) },
    ]);
    const path = join(folder, attachments[0]?.file ?? "");
    expect(readFileSync(path, "utf8")).toBe("hello");
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(await media.find(attachments)).toEqual([
      { path, name: "Notes.TXT", mediaType: "text/plain" },
      { path: join(folder, attachments[1]?.file ?? ""), name: "file", mediaType: "text/plain" },
    ]);
  });

  it("never goes by what a sender calls a file, or says that it is", async () => {
    const names = [
      "../../evil.sh",
      "/etc/passwd",
      "a\0.png",
      "x.\u202egnp",
      "..",
      "y".repeat(500),
      "\n# head",
    ];
    const { attachments } = await media.take(names.map((name) => remote({ name, mediaType: "text/<b>" })));
    expect(readdirSync(home)).toEqual(["media"]);
    expect(readdirSync(folder).sort()).toEqual(attachments.map(({ file }) => file).sort());
    for (const { name = "", mediaType, file } of attachments) {
      expect(name).toMatch(/^[^\p{Cc}\u202e]{1,101}$/u);
      expect(mediaType).toBe("application/octet-stream");
      expect(file).toMatch(/^[0-9a-f]{32}(\.[a-z0-9]{1,8})?$/);
    }
    const [{ attachments: typed }] = [await media.take([remote({ mediaType: "Image/PNG; x=y" })])];
    expect(typed[0]?.mediaType).toBe("image/png");
  });

  it("says what it could not take, and takes the others", async () => {
    const asked: number[] = [];
    const failing = async (): Promise<never> => {
      throw new Error("gone");
    };
    const { attachments, problems } = await media.take([
      remote({ name: "gone.txt", read: failing }),
      remote({
        name: "big.bin",
        read: async (max) => {
          asked.push(max);
          return new Uint8Array(max + 1); // One that does not keep to it.
        },
      }),
      remote({ name: "fine.txt" }),
    ]);
    expect(asked).toEqual([MAX_BYTES]);
    expect(problems).toEqual(["gone.txt: gone", "big.bin: larger than 20 MB"]);
    expect(attachments.map(({ name }) => name)).toEqual(["fine.txt"]);
    expect(readdirSync(folder)).toHaveLength(1);
  });

  it("takes ten of a message, and reads no more", async () => {
    let reads = 0;
    const read = async () => {
      reads += 1;
      return Buffer.from("x");
    };
    const { attachments, problems } = await media.take(Array.from({ length: 13 }, () => remote({ read })));
    expect([attachments.length, reads]).toEqual([10, 10]);
    expect(problems).toEqual(["3 more: at most 10 are taken"]);
  });

  it("gives out and takes back nothing but its own", async () => {
    writeFileSync(join(home, "secret"), "x");
    mkdirSync(folder);
    const [other] = ["0".repeat(32)];
    mkdirSync(join(folder, other));
    const attachments = ["../secret", "secret", `${other}/../../secret`, other, "1".repeat(32)].map(
      (file) => ({
        file,
        mediaType: "text/plain",
      }),
    );
    expect(await media.find(attachments)).toEqual([]);
    const { attachments: kept } = await media.take([remote()]);
    await media.forget([...attachments.filter(({ file }) => file !== other), ...kept]);
    expect(readdirSync(home).sort()).toEqual(["media", "secret"]);
    expect(readdirSync(folder)).toEqual([other]);
  });
});
