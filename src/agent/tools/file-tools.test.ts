/** The file tools in a real folder: what each says and does where nobody is hostile. */

import { execFileSync } from "node:child_process";
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { aCall } from "../../../test/support/a-call.js";
import type { Tool } from "../agent.js";
import { Confined } from "./confined.js";
import { editFileTool } from "./edit-file.js";
import { listFilesTool } from "./list-files.js";
import { readFileTool } from "./read-file.js";
import { type SearchLimits, searchFilesTool } from "./search-files.js";
import { writeFileTool } from "./write-file.js";

let folder: string;

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "baton-files-")));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const put = (name: string, content: string | Uint8Array) => writeFileSync(join(folder, name), content);
const kept = (name: string) => readFileSync(join(folder, name), "utf8");

async function call(
  make: (confined: Confined) => Tool,
  args: unknown,
  signal = new AbortController().signal,
) {
  const tool = make(new Confined({ folders: [folder], base: folder, forbidden: [] }));
  return (await tool.run(args, { call: aCall, signal })).replaceAll(folder, "<folder>");
}
const read = (args: unknown) => call(readFileTool, args);
const write = (args: unknown) => call(writeFileTool, args);
const edit = (args: unknown) => call(editFileTool, args);
const list = (args: unknown) => call(listFilesTool, args);
const search = (args: unknown, limits?: Partial<SearchLimits>, signal?: AbortSignal) => {
  const all = { timeMs: 10_000, files: 1_000, fileBytes: 100_000, hits: 50, ...limits };
  return call((confined) => searchFilesTool(confined, all), args, signal);
};

describe("arguments", () => {
  it.each([
    [read, null, "`path` is missing"],
    [read, "notes.txt", "`path` is missing"],
    [read, { path: 7 }, "`path` must be a text"],
    [read, { path: " " }, "`path` is empty"],
    [read, { path: "x".repeat(20_000) }, "`path` is too long"],
    [read, { path: "a", offset: 0 }, "`offset` must be a number, 1 or more"],
    [read, { path: "a", limit: "many" }, "`limit` must be a number, 1 or more"],
    [write, { path: "a" }, "`content` is missing"],
    [edit, { path: "a", old_text: "x", new_text: "y", all: "yes" }, "`all` must be true or false"],
    [edit, { path: "a", old_text: "", new_text: "y" }, "`old_text` is empty"],
    [edit, { path: "a", old_text: "y", new_text: "y" }, "`old_text` and `new_text` are the same"],
    [search, { query: "" }, "`query` is empty"],
    [search, { query: "(", regex: true }, "`query` is not a regular expression"],
    [search, { query: "a", glob: "{a,b}".repeat(10) }, "`glob` has too many braces or alternatives"],
    [list, { path: "nowhere" }, "there is no <folder>/nowhere"],
    [list, JSON.parse('{"__proto__":{"path":"x"},"path":["x"]}'), "`path` must be a text"],
  ])("%o %j are refused in words", async (tool, args, words) => {
    put("a", "x");
    const result = await (tool as (args: unknown) => Promise<string>)(args);
    expect(result).toMatch(/^Error: /);
    expect(result).toContain(words);
  });

  it("are taken where numbers, yes and nothing come in other words", async () => {
    put("a", "one\ntwo\nthree\n");
    expect(await read({ path: "a", offset: "2", limit: null })).toContain("lines 2 to 3 of 3");
    expect(await edit({ path: "a", old_text: "o", new_text: "0", all: "true" })).toMatch(/^2 replacements/);
  });

  it("do nothing in a turn that was stopped", async () => {
    const stopped = AbortSignal.abort();
    const args = { path: "a", content: "x" };
    expect(await call(writeFileTool, args, stopped)).toBe("Not run: the turn was stopped.");
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe("read_file", () => {
  it("gives the text under a line that says what it is", async () => {
    put("a.txt", "one\n  two\nthree\n");
    expect(await read({ path: "a.txt" })).toBe(
      "<folder>/a.txt, lines 1 to 3 of 3, 16 bytes:\none\n  two\nthree",
    );
    expect(await read({ path: "a.txt", offset: 2, limit: 1 })).toBe(
      "<folder>/a.txt, lines 2 to 2 of 3, 16 bytes; continue with offset 3:\n  two",
    );
    expect(await read({ path: join(folder, "a.txt"), offset: 9 })).toBe(
      "<folder>/a.txt has only 3 lines; there is no line 9.",
    );
    put("empty", "");
    expect(await read({ path: "empty" })).toBe("<folder>/empty: empty.");
  });

  it("is bounded, and says how to go on", async () => {
    put("long", "x".repeat(99).concat("\n").repeat(5_000));
    const first = await read({ path: "long" });
    expect(first).toContain("lines 1 to 500 of 5000, 500.0 kB; continue with offset 501:");
    put("wide", `${"y".repeat(70_000)}\nend\n`);
    const wide = await read({ path: "wide" });
    expect(wide).toContain("; continue with offset 2; line 1 is too long and was cut:");
    expect(wide.length).toBeLessThan(51_000);
    put("huge", Buffer.alloc(10_000_001, "a"));
    expect(await read({ path: "huge" })).toMatch(/^Error: <folder>\/huge is too large: 10\.0 MB/);
  });

  it("says what is not text, and how large it is", async () => {
    put("picture", Buffer.from("89504e470d0a1a0a0000", "hex"));
    expect(await read({ path: "picture" })).toBe(
      "Error: <folder>/picture is not text but a PNG image, 10 bytes.",
    );
    put("data", Buffer.from([1, 0, 2]));
    expect(await read({ path: "data" })).toBe("Error: <folder>/data is not text but binary data, 3 bytes.");
    put("latin", Buffer.from("caf\xe9\n", "latin1"));
    expect(await read({ path: "latin" })).toContain(
      ", 5 bytes; bytes that are not UTF-8 are shown as \ufffd:\ncaf\ufffd",
    );
    expect(await read({ path: "." })).toBe(
      "Error: <folder> is a folder. Use list_files to see what is in it.",
    );
  });
});

describe("write_file", () => {
  it("writes a new file, with the folders above it", async () => {
    expect(await write({ path: "a/b/c.txt", content: "héllo" })).toBe(
      "Wrote 6 bytes to <folder>/a/b/c.txt, a new file.",
    );
    expect(kept("a/b/c.txt")).toBe("héllo");
  });

  it("replaces a file as a whole, keeps its mode, and leaves nothing beside it", async () => {
    put("run.sh", "old text");
    chmodSync(join(folder, "run.sh"), 0o750);
    const before = statSync(join(folder, "run.sh"));
    expect(await write({ path: "run.sh", content: "new" })).toBe(
      "Wrote 3 bytes to <folder>/run.sh, which had 8 bytes before.",
    );
    const after = statSync(join(folder, "run.sh"));
    expect(after.mode & 0o777).toBe(0o750);
    expect(after.ino).not.toBe(before.ino);
    expect(readdirSync(folder)).toEqual(["run.sh"]);
  });

  it("leaves read-only files and folders alone", async () => {
    put("fixed", "as it is");
    chmodSync(join(folder, "fixed"), 0o444);
    expect(await write({ path: "fixed", content: "x" })).toBe("Error: <folder>/fixed is read-only.");
    expect(await write({ path: ".", content: "x" })).toBe("Error: <folder> is a folder, not a file.");
    expect(await write({ path: "fixed/below", content: "x" })).toBe(
      "Error: <folder>/fixed is not a folder but a file.",
    );
    expect(kept("fixed")).toBe("as it is");
  });

  it("writes to where a link leads, where that is inside", async () => {
    mkdirSync(join(folder, "real"));
    symlinkSync("real", join(folder, "short"));
    symlinkSync("short/a.txt", join(folder, "a.txt"));
    expect(await write({ path: "a.txt", content: "x" })).toContain("<folder>/real/a.txt");
    expect(kept("real/a.txt")).toBe("x");
    expect(lstatSync(join(folder, "a.txt")).isSymbolicLink()).toBe(true);
  });
});

describe("edit_file", () => {
  it("replaces what stands there once", async () => {
    put("a.ts", "const a = 1;\nconst b = 2;\n");
    expect(await edit({ path: "a.ts", old_text: "b = 2", new_text: "b = $& 3" })).toBe(
      "1 replacement in <folder>/a.ts, at line 2.",
    );
    expect(kept("a.ts")).toBe("const a = 1;\nconst b = $& 3;\n");
  });

  it("replaces all where all are meant, and else asks for more", async () => {
    put("a.ts", "x\ny\nx\n");
    expect(await edit({ path: "a.ts", old_text: "x", new_text: "z" })).toBe(
      "Error: <folder>/a.ts contains `old_text` 2 times, at lines 1, 3. Give more of the text around it, or set `all`.",
    );
    expect(kept("a.ts")).toBe("x\ny\nx\n");
    expect(await edit({ path: "a.ts", old_text: "x", new_text: "z", all: true })).toBe(
      "2 replacements in <folder>/a.ts, at line 1, 3.",
    );
    expect(kept("a.ts")).toBe("z\ny\nz\n");
  });

  it("shows what is nearest where it does not stand there", async () => {
    put("a.ts", "export function first() {}\nexport function second() {}\n\nlet third;\n");
    expect(await edit({ path: "a.ts", old_text: "export  function secnd() {", new_text: "x" })).toBe(
      "Error: <folder>/a.ts does not contain `old_text`; white space matters. Nearest:\n" +
        'line 2: "export function second() {}"\nline 1: "export function first() {}"',
    );
    expect(await edit({ path: "a.ts", old_text: "%%%%", new_text: "x" })).toMatch(/Read the file again\.$/);
  });

  it("knows lines that end in \\r\\n, and loses no byte that is not UTF-8", async () => {
    put("dos.txt", "one\r\ntwo\r\nthree\r\n");
    expect(await edit({ path: "dos.txt", old_text: "one\ntwo", new_text: "1\n2\n" })).toMatch(
      /^1 replacement/,
    );
    expect(kept("dos.txt")).toBe("1\r\n2\r\n\r\nthree\r\n");
    put("latin", Buffer.from("caf\xe9 one", "latin1"));
    expect(await edit({ path: "latin", old_text: "one", new_text: "two" })).toMatch(/^Error: .*not UTF-8/);
    expect(readFileSync(join(folder, "latin"), "latin1")).toBe("caf\xe9 one");
  });

  it("does not write over what changed since it was read", async () => {
    put("a", "one");
    const confined = new Confined({ folders: [folder], base: folder, forbidden: [] });
    const file = await confined.openFile("a", async () => {});
    await file.handle.close();
    put("a", "two!");
    await expect(confined.replaceFile("a", Buffer.from("x"), async () => {}, file.stats)).rejects.toThrow(
      /has just changed/,
    );
    expect(kept("a")).toBe("two!");
    expect(readdirSync(folder)).toEqual(["a"]);
  });
});

describe("list_files", () => {
  beforeEach(() => {
    mkdirSync(join(folder, "src/deep"), { recursive: true });
    put("b.txt", "12345");
    put(".hidden", "");
    put("src/a.ts", "x");
    put("src/deep/z", "x");
    symlinkSync("/nowhere", join(folder, "link"));
    put("odd\nname", "");
    execFileSync("sh", ["-c", 'mkfifo "$0"', join(folder, "pipe")]);
  });

  it("shows what is there, sorted, with kinds and sizes", async () => {
    expect(await list({})).toBe(
      '<folder>, 6 entries:\n.hidden  0 bytes\nb.txt  5 bytes\nlink -> "/nowhere"\n"odd\\nname"  0 bytes\npipe  (a pipe)\nsrc/',
    );
    expect(await list({ path: "src", depth: 2 })).toBe(
      "<folder>/src, 3 entries:\na.ts  1 byte\ndeep/\ndeep/z  1 byte",
    );
    mkdirSync(join(folder, "none"));
    expect(await list({ path: "none" })).toBe("<folder>/none, 0 entries:\n(empty)");
  });

  it("keeps to its bound, and says what it left out", async () => {
    mkdirSync(join(folder, "many"));
    for (let number = 0; number < 1_200; number++) put(`many/${String(number).padStart(4, "0")}`, "");
    const shown = await list({ path: "many" });
    expect(shown).toMatch(/^<folder>\/many, 1000 entries:\n0000 /);
    expect(shown).toMatch(
      /\n0999 {2}0 bytes\nNot listed: everything after 1000 entries; list a folder further down$/,
    );
  });
});

describe("search_files", () => {
  beforeEach(() => {
    mkdirSync(join(folder, "src/node_modules"), { recursive: true });
    put("src/a.ts", "const needle = 1;\r\nNeedle\n");
    put("b.md", "a needle.here\nneedle\n");
    put("src/node_modules/c.ts", "needle\n");
    put("picture.png", Buffer.from("\x89PNG\0needle", "latin1"));
    put("large.txt", "needle".repeat(20_000));
    symlinkSync("b.md", join(folder, "link.md"));
  });

  it("finds lines of plain text, and says what it did not search", async () => {
    expect(await search({ query: "needle.h" })).toBe(
      "1 matching line in <folder>; 2 files searched.\nb.md:1: a needle.here\n" +
        "Not searched: files over 100.0 kB, links, files that are not text, folders named node_modules.",
    );
    expect(await search({ query: "NEEDLE", ignore_case: true, glob: "*.ts" })).toBe(
      "2 matching lines in <folder>; 1 file searched.\nsrc/a.ts:1: const needle = 1;\nsrc/a.ts:2: Needle\n" +
        "Not searched: links, folders named node_modules.",
    );
    expect(await search({ query: "needle", path: "src/node_modules" })).toContain("c.ts:1: needle");
  });

  it("finds lines by an expression", async () => {
    expect(await search({ query: "^n\\w+$", regex: true, glob: "**/*.md" })).toContain("\nb.md:2: needle\n");
    expect(await search({ query: "^n\\w+E$", regex: true, ignore_case: true })).toMatch(/^2 matching lines/);
  });

  it("is bounded in hits and files", async () => {
    put("hits", "x\n".repeat(100));
    expect(await search({ query: "x", glob: "hits" }, { hits: 3 })).toMatch(
      /^3 matching lines .*\nhits:1: x\nhits:2: x\nhits:3: x\nStopped early: 3 lines were found\./,
    );
    expect(await search({ query: "x" }, { files: 1 })).toContain("Stopped early: 1 files were searched.");
  });

  it("ends an expression that would take forever, and the process goes on", async () => {
    put("evil.txt", `${"a".repeat(60)}!\n`);
    let rounds = 0;
    const beat = setInterval(() => rounds++, 5);
    const result = await search({ query: "^(a+)+$", regex: true, glob: "evil.txt" }, { timeMs: 300 });
    clearInterval(beat);
    // On a busy machine the time may be over before the file was begun.
    expect(result).toMatch(
      /Stopped early: (?:the expression took too long in evil\.txt; write a simpler one\.|0\.3 s passed)/,
    );
    expect(rounds).toBeGreaterThan(5);
  });

  it("ends when the turn is stopped, also within such an expression", async () => {
    put("evil.txt", `${"a".repeat(60)}!\n`);
    const controller = new AbortController();
    const result = search({ query: "^(a+)+$", regex: true }, { timeMs: 600_000 }, controller.signal);
    setTimeout(() => controller.abort(), 100);
    expect(await result).toContain("Stopped early: the turn was stopped.");
  });
});
