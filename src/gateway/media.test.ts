import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { RemoteFile } from "../adapter/adapter.js";
import { openDb } from "../open-sessions.js";
import { Sessions } from "../session/sessions.js";
import { parseSource } from "../session/source.js";
import type { SessionStore } from "../session/store.js";
import type { Attachment } from "../session/transcript.js";
import { openSqlStore } from "../store/sql-store.js";
import { Media } from "./media.js";
import type { GatewayStore } from "./store.js";

const DAY = 24 * 60 * 60 * 1_000;
const MAX_BYTES = 20 * 1024 * 1024;
let home: string;
let folder: string;
let media: Media;
let store: SessionStore & GatewayStore;
let now: number;
beforeEach(async () => {
  store = await openSqlStore(await openDb("sqlite::memory:"), 0);
  now = 1_000 * DAY;
  home = mkdtempSync(join(tmpdir(), "baton-media-"));
  folder = join(home, "media");
  media = new Media(folder, store.files, () => now);
});
afterEach(async () => {
  await store.close();
  rmSync(home, { recursive: true });
});

const remote = (file: Partial<RemoteFile> = {}): RemoteFile => ({
  mediaType: "text/plain",
  read: async () => Buffer.from("hello"),
  ...file,
});

describe("the media store", () => {
  it("keeps files byte for byte, private, under names of its own", async () => {
    const { attachments, missing } = await media.take([remote({ name: "Notes.TXT" }), remote()]);
    expect(missing).toEqual([]);
    expect(attachments).toMatchObject([
      {
        name: "Notes.TXT",
        mediaType: "text/plain",
        size: 5,
        file: expect.stringMatching(/^[0-9a-f]{32}\.txt$/),
      },
      { name: "file", file: expect.stringMatching(/^[0-9a-f]{32}$/) },
    ]);
    const path = join(folder, attachments[0]?.file ?? "");
    expect(readFileSync(path, "utf8")).toBe("hello");
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(await Promise.all(attachments.map((each) => media.find(each)))).toEqual([
      { path, name: "Notes.TXT", mediaType: "text/plain" },
      { path: join(folder, attachments[1]?.file ?? ""), name: "file", mediaType: "text/plain" },
    ]);
  });

  it("waits so long for the files of a message, and goes on with those that came", async () => {
    const impatient = new Media(folder, store.files, () => now, 1);
    const never = (): Promise<Uint8Array> => new Promise(() => {});
    const { attachments, missing } = await impatient.take([
      remote({ name: "quick.txt" }),
      remote({ name: "slow.txt", read: never }),
      remote({ name: "slower.txt", read: never }),
    ]);
    expect(attachments.map(({ name }) => name).filter((name) => name !== "quick.txt")).toEqual([]);
    expect(missing.slice(-2)).toEqual([
      "slow.txt: it took longer than 0.001 s to fetch",
      "slower.txt: it took longer than 0.001 s to fetch",
    ]);
    expect(existsSync(folder) ? readdirSync(folder) : []).toHaveLength(attachments.length);
    const { missing: alone } = await impatient.take([remote({ name: "slow.txt", read: never })]);
    expect(alone).toEqual(["slow.txt: it took longer than 0.001 s to fetch"]); // Given up in the middle, too.
  });

  it("fetches eight files at once, and the next when one has ended", async () => {
    const ends: (() => void)[] = [];
    const slow = remote({
      read: () => new Promise((resolve) => ends.push(() => resolve(Buffer.from("late")))),
    });
    const takings = Array.from({ length: 10 }, () => media.take([slow]));
    while (ends.length < 8) await new Promise((resolve) => setImmediate(resolve));
    for (let n = 0; n < 20; n += 1) await new Promise((resolve) => setImmediate(resolve));
    expect(ends).toHaveLength(8);
    for (let n = 0; n < 10; n += 1) {
      while (n >= ends.length) await new Promise((resolve) => setImmediate(resolve));
      ends[n]?.();
    }
    for (const { attachments } of await Promise.all(takings)) expect(attachments).toHaveLength(1);
  });

  it("gives a place back when nobody waits any more, also where the fetching goes on, and says so to who fetches", async () => {
    const signals: AbortSignal[] = [];
    const never = (_: number, end: AbortSignal): Promise<Uint8Array> => {
      signals.push(end);
      return new Promise(() => {});
    };
    const patiences = Array.from({ length: 8 }, () => media.patience());
    const takings = patiences.map((patience) => media.take([remote({ read: never })], { patience }));
    while (signals.length < 8) await new Promise((resolve) => setImmediate(resolve));
    for (const patience of patiences) patience.end("nobody waits any more");
    await Promise.all(takings);
    expect(signals.map(({ aborted }) => aborted)).toEqual(Array(8).fill(true));
    expect((await media.take([remote()])).attachments).toHaveLength(1);
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

  it("calls a picture what it begins like, and nothing else a picture", async () => {
    const jpeg = Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 16]);
    const read = async () => jpeg;
    const types = ["image/png", "image/jpeg", "application/octet-stream", "text/plain"];
    const { attachments } = await media.take(types.map((mediaType) => remote({ mediaType, read })));
    expect(attachments.map(({ mediaType }) => mediaType)).toEqual([
      "image/jpeg",
      "image/jpeg",
      "application/octet-stream",
      "text/plain",
    ]);
  });

  it("says what it could not take, and takes the others", async () => {
    const asked: number[] = [];
    const failing = async (): Promise<never> => {
      throw new Error("gone");
    };
    const { attachments, missing } = await media.take([
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
    expect(missing).toEqual(["gone.txt: gone", "big.bin: larger than 20 MB"]);
    expect(attachments.map(({ name }) => name)).toEqual(["fine.txt"]);
    expect(readdirSync(folder)).toHaveLength(1);
  });

  it("takes ten of a message, and reads no more", async () => {
    let reads = 0;
    const read = async () => {
      reads += 1;
      return Buffer.from("x");
    };
    const { attachments, missing } = await media.take(Array.from({ length: 13 }, () => remote({ read })));
    expect([attachments.length, reads]).toEqual([10, 10]);
    expect(missing).toEqual(["3 more: Baton takes at most 10"]);
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
    for (const each of attachments) expect(await media.find(each)).toBeNull();
    const { attachments: kept } = await media.take([remote()]);
    await media.forget([...attachments.filter(({ file }) => file !== other), ...kept]);
    expect(readdirSync(home).sort()).toEqual(["media", "secret"]);
    expect(readdirSync(folder)).toEqual([other]);
  });
});

describe("a sweep", () => {
  const ann = parseSource({ platform: "telegram", chat_id: "1", user_id: "1" });
  const kept = () => readdirSync(folder).sort();
  const taken = async (count = 1): Promise<readonly Attachment[]> =>
    (await media.take(Array.from({ length: count }, () => remote()))).attachments;
  const names = (...lists: (readonly Attachment[])[]) =>
    lists
      .flat()
      .map(({ file }) => file)
      .sort();

  it("removes what a pruned session had, and nothing that another has too", async () => {
    const sessions = new Sessions(store, { clock: () => now });
    const [both, only] = [await taken(), await taken()];
    const say = (attachments: readonly Attachment[], forceNew = false) =>
      sessions.receive(ann, { role: "user", content: "see", attachments }, { forceNew });
    await say([...both, ...only]);
    await say(both, true);
    now += 2 * DAY;
    expect(await media.sweep()).toEqual({ files: 0, bytes: 0 });
    expect((await sessions.prune({ endedBeforeMs: DAY })).sessions).toBe(1);
    expect(await media.sweep()).toEqual({ files: 1, bytes: 5 });
    expect(kept()).toEqual(names(both));
    expect(await media.sweep()).toEqual({ files: 0, bytes: 0 });
  });

  it("keeps what is just being received", async () => {
    const old = await taken();
    now += DAY;
    const young = await taken();
    expect(await media.sweep()).toEqual({ files: 0, bytes: 0 });
    now += 1;
    expect(await media.sweep()).toEqual({ files: 1, bytes: 5 });
    expect(kept()).toEqual(names(young));
    expect(old).toHaveLength(1);
  });

  it("leaves alone what it did not take: other files, and another store's", async () => {
    const other = await openSqlStore(await openDb("sqlite::memory:"), 0);
    const theirs = (await new Media(folder, other.files, () => now).take([remote()])).attachments;
    for (const name of ["notes.txt", "f".repeat(32), ".hidden"]) writeFileSync(join(folder, name), "x");
    await taken(2);
    now += 2 * DAY;
    expect(await media.sweep()).toEqual({ files: 2, bytes: 10 });
    expect(kept()).toEqual([...names(theirs), "notes.txt", "f".repeat(32), ".hidden"].sort());
    await other.close();
  });

  it("follows no link, and no name that is not of ours", async () => {
    const secret = join(home, "secret");
    writeFileSync(secret, "x");
    const [linked, folderNamed] = names(await taken(2));
    for (const name of [linked, folderNamed]) rmSync(join(folder, name ?? ""));
    symlinkSync(secret, join(folder, linked ?? ""));
    mkdirSync(join(folder, folderNamed ?? ""));
    await store.files.taking(["../secret", "secret"], now);
    now += 2 * DAY;
    expect(await media.sweep()).toEqual({ files: 0, bytes: 0 });
    expect(readFileSync(secret, "utf8")).toBe("x");
    expect(kept()).toEqual([linked, folderNamed].sort());
  });

  it("twice at once removes each once, and a folder that is not there is fine", async () => {
    expect(await media.sweep()).toEqual({ files: 0, bytes: 0 });
    await taken(10);
    now += 2 * DAY;
    const other = new Media(folder, store.files, () => now);
    const [one, two] = await Promise.all([media.sweep(), other.sweep()]);
    expect(one.files + two.files).toBe(10);
    expect(kept()).toEqual([]);
    expect(await store.files.unneeded(now)).toEqual([]);
  });

  it("another machine's folder is not taken for gone", async () => {
    const files = names(await taken());
    now += 2 * DAY;
    expect(await new Media(join(home, "elsewhere"), store.files, () => now).sweep()).toEqual({
      files: 0,
      bytes: 0,
    });
    expect(await store.files.unneeded(now)).toEqual(files);
    expect((await media.sweep()).files).toBe(1);
  });

  it("has nothing to do with what could not be taken, or was taken back", async () => {
    const failing = async (): Promise<never> => {
      throw new Error("gone");
    };
    await media.take([remote({ read: failing })]);
    await media.forget(await taken());
    expect(await store.files.unneeded(now + 1)).toEqual([]);
  });
});
