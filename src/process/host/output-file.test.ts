import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as nextLook } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { OutputFile } from "./output-file.js";

const MB = 1024 * 1024;

function outputFile() {
  const folder = mkdtempSync(join(tmpdir(), "baton-output-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, "p.out");
  const output = new OutputFile(path);
  return { path, output };
}

test("the last words of a process that prints much are kept, though it is just being cut", async () => {
  for (let round = 0; round < 10; round++) {
    const { path, output } = outputFile();
    const file = output.openForProcess();
    const child = spawn("/bin/sh", ["-c", "yes | head -c 60M; echo the end"], {
      stdio: ["ignore", file, "ignore"],
    });
    closeSync(file);
    const isOver = once(child, "exit").then(() => true);
    while (!(await Promise.race([isOver, nextLook(false)]))) output.trim(false);
    output.trim(true);
    expect(output.read(-10, 10, true).text).toBe("y\nthe end\n");
    expect(statSync(path).size).toBeLessThan(16 * MB);
    output.close();
  }
});
