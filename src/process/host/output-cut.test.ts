/** What a process writes just while its output is cut. */
import { appendFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { OutputFile } from "./output-file.js";

/** Called when the file has been measured and its end is about to be copied. */
const hook = vi.hoisted(() => ({ onCopy: (): void => {} }));

vi.mock("node:fs", async (original) => {
  const fs = await original<typeof import("node:fs")>();
  return {
    ...fs,
    ftruncateSync: (file: number, length: number) => {
      hook.onCopy();
      fs.ftruncateSync(file, length);
    },
  };
});

test("has its own positions, and is read once", () => {
  const folder = mkdtempSync(join(tmpdir(), "baton-output-cut-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, "p.out");
  const output = new OutputFile(path);
  const length = 5 * 1024 * 1024;
  output.append(Buffer.alloc(length, "x"));
  hook.onCopy = () => {
    hook.onCopy = () => {};
    appendFileSync(path, "meanwhile\n");
  };
  output.trim(true);
  expect(output.range.from).toBeGreaterThan(0); // It was cut.
  output.append(Buffer.from("after\n"));
  const text = "meanwhile\nafter\n";
  expect(output.read(length, 100, true)).toEqual({ text, from: length, to: length + text.length });
  output.close();
});

test("is kept to its end, though it is more than can be held", () => {
  const folder = mkdtempSync(join(tmpdir(), "baton-output-cut-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, "p.out");
  const output = new OutputFile(path);
  output.append(Buffer.alloc(5 * 1024 * 1024, "x"));
  hook.onCopy = () => {
    hook.onCopy = () => {
      hook.onCopy = () => {};
      appendFileSync(path, "the end\n");
    };
    appendFileSync(path, Buffer.alloc(9 * 1024 * 1024, "y\n"));
  };
  output.trim(true);
  const to = 14 * 1024 * 1024 + 8;
  expect(output.read(-10, 10, true)).toEqual({ text: "y\nthe end\n", from: to - 10, to });
  output.close();
});
