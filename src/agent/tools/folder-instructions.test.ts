import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { folderInstructions } from "./folder-instructions.js";

let root: string;
let folder: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "baton-instructions-"));
  folder = join(root, "work");
  mkdirSync(folder);
});
afterEach(() => rmSync(root, { recursive: true }));

const read = (most?: number) => folderInstructions(folder, { forbidden: [] }, most);
const write = (text: string | Uint8Array, name = "AGENTS.md") => writeFileSync(join(folder, name), text);

it("is the text of the file, without what a terminal would act on", async () => {
  expect(await read()).toBeNull();
  write("# Rules\r\n\u001b[31mSpeak\u202e German.\n\n");
  expect(await read()).toEqual({ text: "# Rules\nSpeak German.", problem: null });
  expect(await folderInstructions(join(root, "gone"), { forbidden: [] })).toBeNull();
});

it("is cut if it is too long, with a sentence", async () => {
  write("x".repeat(1_234));
  const found = await read(1_000);
  expect(found?.text.length).toBeLessThanOrEqual(1_001);
  expect(found?.problem).toBe(`AGENTS.md in ${folder} has 1,234 characters. The agent gets the first 1,000.`);
});

it("may be a link within the folder, and none that leads out of it", async () => {
  write("Rules.", "CLAUDE.md");
  symlinkSync("CLAUDE.md", join(folder, "AGENTS.md"));
  expect(await read()).toEqual({ text: "Rules.", problem: null });
  rmSync(join(folder, "AGENTS.md"));
  writeFileSync(join(root, "secret"), "canary");
  symlinkSync("../secret", join(folder, "AGENTS.md"));
  expect(await read()).toEqual({
    text: "",
    problem: expect.stringMatching(/^Can't use AGENTS\.md in .*outside the folders/),
  });
});

it("is no pipe, no folder and no picture", async () => {
  execFileSync("sh", ["-c", 'mkfifo "$0"', join(folder, "AGENTS.md")]);
  expect((await read())?.problem).toMatch(/^Can't use AGENTS\.md/);
  rmSync(join(folder, "AGENTS.md"));
  mkdirSync(join(folder, "AGENTS.md"));
  expect((await read())?.problem).toMatch(/^Can't use AGENTS\.md/);
  rmSync(join(folder, "AGENTS.md"), { recursive: true });
  write(Buffer.from("\x89PNG\r\n\x1a\n\0\0", "latin1"));
  expect(await read()).toMatchObject({ text: "", problem: expect.stringContaining("not text") });
});
