import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { OutputFile, type OutputPlace } from "./output-file.js";

const MB = 1024 * 1024;

function outputFile(place?: OutputPlace) {
  const folder = mkdtempSync(join(tmpdir(), "baton-output-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, "p.out");
  const output = new OutputFile(path, place);
  return { path, output };
}

test("a process that sets an incredible size loses what it printed, and nobody else anything", () => {
  const { path, output } = outputFile();
  output.append(Buffer.from("before\n"));
  expect(output.range).toEqual({ from: 0, to: 7 });
  for (let round = 0; round < 20; round++) {
    truncateSync(path, 2 ** 41);
    output.trim(false);
  }
  expect(statSync(path).size).toBe(0);
  output.append(Buffer.from("after\n"));
  expect(output.range).toEqual({ from: 7, to: 13 });
  expect(output.read(0, 100, true)).toEqual({ text: "after\n", from: 7, to: 13 });
  output.close();
});

test("positions stay numbers that a store can keep", () => {
  const last = 2 ** 52;
  const { path, output } = outputFile({ base: last - 10, olderFrom: last - 10 });
  for (let round = 0; round < 3; round++) {
    output.append(Buffer.alloc(5 * MB, "x"));
    output.append(Buffer.from("the end\n"));
    output.trim(true);
    expect(output.range.to).toBe(last);
  }
  expect(output.read(-8, 8, true).text).toBe("the end\n");
  for (let round = 0; round < 3; round++) {
    output.append(Buffer.from("emptied\n"));
    expect(output.range.to).toBe(last + 8);
    truncateSync(path, 0);
    expect(output.range).toEqual({ from: last, to: last });
  }
  output.close();
});

test("space that a process reserves on the disk is given back", () => {
  const { path, output } = outputFile();
  writeFileSync(path, "a line\n");
  const { status } = spawnSync("/bin/sh", ["-c", 'fallocate --keep-size --length 200M "$0"', path]);
  if (status !== 0) return console.warn("SKIPPED: reserved space, because this system can't reserve any");
  expect(statSync(path).blocks * 512).toBeGreaterThan(100 * MB);
  output.trim(false);
  expect(statSync(path).blocks).toBe(0);
  expect(output.read(0, 100, true).text).toBe("a line\n");
  output.close();
});
