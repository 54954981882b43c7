import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { FileNames, pathsFor } from "./file-names.js";
import { namedFiles, namesIn } from "./named-files.js";

let base: string;
let folder: string;

beforeAll(() => {
  base = mkdtempSync(join(tmpdir(), "baton-files-"));
  folder = join(base, "work");
  for (const name of ["work/src/deep", "work/node_modules/x", "work/.git", "work/my notes", "outside"])
    mkdirSync(join(base, name), { recursive: true });
  const files = [
    "notes.txt",
    "src/main.ts",
    "src/deep/notes.md",
    "node_modules/x/notes.js",
    ".git/notes",
    ".env",
  ];
  for (const name of [...files, "my notes/a b.txt", "v1.2"]) writeFileSync(join(folder, name), name);
  writeFileSync(join(base, "outside/secret.txt"), "secret");
  symlinkSync(join(base, "outside"), join(folder, "away"));
  symlinkSync(join(base, "outside/secret.txt"), join(folder, "link.txt"));
  symlinkSync(join(folder, "notes.txt"), join(folder, "inside.txt"));
});

afterAll(() => rmSync(base, { recursive: true }));

describe("completing files", () => {
  /** What fits, when it has been looked up. */
  async function completed(begun: string, clock = () => 0): Promise<string[]> {
    let arrived: () => void = () => {};
    const arrival = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    const names = new FileNames({ folder, clock, onArrived: () => arrived() });
    names.complete(begun);
    await arrival;
    return names.complete(begun).map(({ text }) => text);
  }

  it("shows what is in the folder, and finds names further below", async () => {
    expect(await completed("")).toEqual(['@"my notes/', "@notes.txt", "@src/", "@v1.2"]);
    expect(await completed("not")).toEqual([
      "@notes.txt",
      "@src/deep/notes.md",
      '@"my notes/',
      '@"my notes/a b.txt"',
    ]);
    expect(await completed("MAIN")).toEqual(["@src/main.ts"]);
    expect(await completed("src/")).toEqual(["@src/deep/", "@src/main.ts"]);
    expect(await completed("src/no")).toEqual(["@src/deep/notes.md"]);
    expect(await completed('"my notes/')).toEqual(['@"my notes/a b.txt"']);
    expect(await completed(".e")).toEqual(["@.env"]);
  });

  it("leaves the folder by no link and no dots", async () => {
    expect(await completed("away/")).toEqual([]);
    expect(await completed("lin")).toEqual([]);
    const names = new FileNames({ folder, clock: () => 0, onArrived: () => expect.unreachable() });
    for (const begun of ["../", "src/../../", "/etc/", "/"]) expect(names.complete(begun)).toEqual([]);
  });

  it("ends when its time is over", async () => {
    let now = 0;
    const late = () => {
      now += 400;
      return now;
    };
    expect(await completed("main", late)).toEqual([]);
    expect(await completed("", late)).toContain("@notes.txt");
  });

  it("looks once for one beginning, and anew for the next @", async () => {
    let arrivals = 0;
    const names = new FileNames({ folder, clock: () => 0, onArrived: () => arrivals++ });
    names.complete("");
    names.complete("");
    await expect.poll(() => arrivals, { timeout: 30_000 }).toBe(1);
    for (const begun of ["", "n", "no"]) expect(names.complete(begun)).not.toEqual([]);
    names.complete("");
    await expect.poll(() => arrivals, { timeout: 30_000 }).toBe(2);
  });

  it("shows at most fifty", () => {
    const many = Array.from({ length: 200 }, (_, index) => `file${index}`);
    expect(pathsFor("fi", many)).toHaveLength(50);
  });
});

describe("files that a message names", () => {
  it("reads paths behind an @ that begins a word", () => {
    expect(namesIn('see @a.txt, (@b/c) and @"my file" but not me@x.org or a@b')).toEqual([
      ["a.txt,", "a.txt"],
      ["b/c)", "b/c"],
      ["my file"],
    ]);
    expect(namesIn("@")).toEqual([]);
    expect(namesIn("@...........")).toEqual([["...........", "..........", ".........", "........"]]);
  });

  it("finds those in the folder, each once, and leaves everything else text", async () => {
    const names = async (text: string) => (await namedFiles(text, folder)).map(({ name }) => name);
    expect(await names("compare @notes.txt with @src/main.ts. And @notes.txt, @inside.txt!")).toEqual([
      "notes.txt",
      "src/main.ts",
    ]);
    expect(await names('@"my notes/a b.txt" and @v1.2')).toEqual(["my notes/a b.txt", "v1.2"]);
    expect(await names("@ann @src @missing.txt @types/node x@notes.txt @/etc/hosts")).toEqual([]);
    expect(await names("@link.txt @away/secret.txt @../outside/secret.txt")).toEqual([]);
    expect(await namedFiles("@notes.txt", join(base, "gone"))).toEqual([]);
  });
});
