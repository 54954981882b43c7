import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { makeFolder } from "./make-folder.js";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "baton-folder-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test("makes what is missing, privately, and leaves what is there as it is", () => {
  const path = join(folder, "a", "b");
  makeFolder(path);
  makeFolder(path);
  for (const each of [path, join(folder, "a")]) expect(statSync(each).mode & 0o777).toBe(0o700);
});

test("a file in the way is an error", () => {
  writeFileSync(join(folder, "a"), "");
  expect(() => makeFolder(join(folder, "a"))).toThrow("EEXIST");
  expect(() => makeFolder(join(folder, "a", "b"))).toThrow("ENOTDIR");
});

test.runIf(process.platform === "linux")("below /proc it fails, and comes back", () => {
  expect(() => makeFolder("/proc/baton/home")).toThrow("ENOENT");
  expect(() => makeFolder("/proc/self/baton")).toThrow("ENOENT");
});
