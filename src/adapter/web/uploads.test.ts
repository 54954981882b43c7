/** Uploads: what one person may have there, in however many tabs, and what goes when its day is over. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Uploads } from "./uploads.js";

const [ANN, BOB] = ["telegram:1", "telegram:2"];
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const ROOM = 100;

let folder: string;
let now: number;
let uploads: Uploads;
beforeEach(() => {
  folder = join(mkdtempSync(join(tmpdir(), "baton-uploads-")), "uploads");
  now = Date.now(); // The disk notes when something was written.
  uploads = new Uploads({ folder, maxFile: 80, maxEach: ROOM, atOnce: 3, least: 0, clock: () => now });
});
afterEach(() => rmSync(join(folder, ".."), { recursive: true }));

const bytes = (size: number, fill = "x"): Uint8Array => Buffer.alloc(size, fill);
async function* whole(content: Uint8Array): AsyncGenerator<Uint8Array> {
  yield content;
}
const take = (identity: string, content: Uint8Array) => uploads.take(identity, whole(content));
const signal = new AbortController().signal;
const read = (ref: string) => uploads.read(ref, 1_000, signal).then((found) => Buffer.from(found).toString());
const filesThere = (): string[] =>
  readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => name);
const refusal = (status: number, code: string) => ({ status, code });

/** An upload whose pieces come when the test sends them. */
function slowly(identity: string) {
  let give: (piece: Uint8Array | null) => void = () => {};
  let asks: () => void = () => {};
  let asked = new Promise<void>((resolve) => {
    asks = resolve;
  });
  async function* pieces(): AsyncGenerator<Uint8Array> {
    for (;;) {
      const next = new Promise<Uint8Array | null>((resolve) => {
        give = resolve;
      });
      asks();
      const piece = await next;
      if (piece === null) return;
      yield piece;
    }
  }
  const done = uploads.take(identity, pieces());
  const settled = done.then(
    () => {},
    () => {},
  );
  const send = async (piece: Uint8Array | null): Promise<void> => {
    await asked;
    asked = new Promise<void>((resolve) => {
      asks = resolve;
    });
    give(piece);
    await Promise.race([asked, settled]); // It was written, or refused.
  };
  return { done, send, begun: () => asked };
}

describe("what a person uploads", () => {
  it("is the same file if it is the same content, and nobody else's", async () => {
    const [one, two] = [await take(ANN, bytes(10)), await take(ANN, bytes(10))];
    expect(two).toEqual(one);
    expect(one.size).toBe(10);
    expect(filesThere()).toHaveLength(1);
    expect((await take(BOB, bytes(10))).ref).not.toBe(one.ref);
    expect(await read(one.ref)).toBe("x".repeat(10));
  });

  it("is no more than there is room for, and leaves nothing if it is refused", async () => {
    await take(ANN, bytes(60, "a"));
    await expect(take(ANN, bytes(41, "b"))).rejects.toMatchObject(refusal(429, "uploads_full"));
    await expect(take(BOB, bytes(81))).rejects.toMatchObject(refusal(413, "too_large"));
    expect(filesThere()).toHaveLength(1);
    await take(ANN, bytes(40, "c"));
    await take(BOB, bytes(80));
  });

  it("counts together, in however many tabs it comes at the same time", async () => {
    const [one, two] = [slowly(ANN), slowly(ANN)];
    await Promise.all([one.begun(), two.begun()]);
    await one.send(bytes(50, "a"));
    await two.send(bytes(50, "b"));
    const refused = expect(two.done).rejects.toMatchObject(refusal(429, "uploads_full"));
    await two.send(bytes(1));
    await refused;
    const bob = slowly(BOB);
    await bob.send(bytes(80)); // Another person has room of their own.
    await bob.send(null);
    await bob.done;
    await one.send(bytes(20)); // What was refused takes none.
    await one.send(null);
    expect((await one.done).size).toBe(70);
    await expect(take(ANN, bytes(31))).rejects.toMatchObject(refusal(429, "uploads_full"));
    await take(ANN, bytes(30));
  });

  it("is so many files at the same time, in however many tabs", async () => {
    const three = [slowly(ANN), slowly(ANN), slowly(ANN)];
    await Promise.all(three.map(({ begun }) => begun()));
    await expect(take(ANN, bytes(1))).rejects.toMatchObject(refusal(429, "too_many_uploads"));
    await take(BOB, bytes(1));
    for (const [n, { send, done }] of three.entries()) {
      await send(bytes(1, `${n}`));
      await send(null);
      await done;
      await take(ANN, bytes(1));
    }
  });

  it("makes room for the next one if it breaks off", async () => {
    for (let n = 0; n < 5; n++) {
      async function* broken(): AsyncGenerator<Uint8Array> {
        yield bytes(70);
        throw new Error("the line broke off");
      }
      await expect(uploads.take(ANN, broken())).rejects.toThrow("the line broke off");
    }
    expect(filesThere()).toEqual([]);
    await take(ANN, bytes(80));
  });
});

describe("the sweep", () => {
  /** As if it was written so long ago. */
  const age = (ref: string, ms: number): void => {
    const time = (now - ms) / 1_000;
    utimesSync(join(folder, ref.replace("-", "/")), time, time);
  };

  it("removes what was uploaded more than a day ago, and nothing else", async () => {
    const old = await take(ANN, bytes(10, "a"));
    const fresh = await take(ANN, bytes(10, "b"));
    const others = await take(BOB, bytes(10));
    age(old.ref, DAY_MS + 1_000);
    age(fresh.ref, DAY_MS - 1_000);
    age(others.ref, 0);
    await uploads.sweep();
    await expect(read(old.ref)).rejects.toThrow("not there any more; send it again");
    expect([await read(fresh.ref), await read(others.ref)]).toEqual(["b".repeat(10), "x".repeat(10)]);
    now += 2_000;
    await uploads.sweep();
    await expect(read(fresh.ref)).rejects.toThrow();
    now += DAY_MS;
    await uploads.sweep();
    expect(filesThere()).toEqual([]);
  });

  it("makes room", async () => {
    age((await take(ANN, bytes(80, "a"))).ref, DAY_MS + 1_000);
    await expect(take(ANN, bytes(30, "b"))).rejects.toMatchObject(refusal(429, "uploads_full"));
    await uploads.sweep();
    await take(ANN, bytes(30, "b"));
  });

  it("leaves what a message refers to for another day", async () => {
    const { ref } = await take(ANN, bytes(10));
    const file = { ref, name: "x", mediaType: "text/plain" };
    age(ref, DAY_MS - 1_000);
    expect(await uploads.remote(BOB, file)).toBeNull();
    expect(await uploads.remote(ANN, file)).toMatchObject({ ref, name: "x" });
    now += DAY_MS - 1_000;
    await uploads.sweep();
    expect(await read(ref)).toBe("x".repeat(10));
    now += 2_000;
    await uploads.sweep();
    expect(await uploads.remote(ANN, file)).toBeNull();
  });

  it("removes what a process left half written, not what is being written", async () => {
    const slow = slowly(ANN);
    await slow.send(bytes(10));
    const [part = ""] = filesThere();
    const left = part.replace(/^\.\w/, ".z");
    const owner = readdirSync(folder)[0] ?? "";
    writeFileSync(join(folder, owner, left), "half");
    age(`${owner}-${left}`, DAY_MS + 1_000);
    await uploads.sweep();
    expect(filesThere()).toEqual([part]);
    await slow.send(null);
    expect(await read((await slow.done).ref)).toBe("x".repeat(10));
  });

  it("has nothing to do where nothing was uploaded, and leaves what is not there alone", async () => {
    await uploads.sweep();
    expect(existsSync(folder)).toBe(false);
    mkdirSync(folder);
    writeFileSync(join(folder, "a file"), "");
    await uploads.sweep();
    expect(filesThere()).toEqual(["a file"]);
  });

  it("counts small files as more than they are, so that there are not too many", async () => {
    const small = new Uploads({ folder, maxFile: 80, maxEach: ROOM, least: 30, clock: () => now });
    for (const n of [1, 2, 3]) await small.take(ANN, whole(bytes(1, String(n))));
    await expect(small.take(ANN, whole(bytes(1, "4")))).rejects.toMatchObject(refusal(429, "uploads_full"));
    expect(filesThere()).toHaveLength(3);
    await small.take(BOB, whole(bytes(80)));
  });
});
