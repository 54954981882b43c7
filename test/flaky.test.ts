/** What `.ci/run` makes of test files that failed: run once more, alone, and only then a failure. */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";

const scripts = join(import.meta.dirname, "..", "scripts");
const modules = join(import.meta.dirname, "..", "node_modules");
const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** Fails in the first run, passes in each later one. */
const FLAKY = `
  import { existsSync, writeFileSync } from "node:fs";
  import { it } from "vitest";
  it("passes the second time", () => {
    const ran = import.meta.filename + ".ran";
    if (existsSync(ran)) return;
    writeFileSync(ran, "");
    throw new Error("too slow");
  });`;
const BROKEN = `import { it } from "vitest"; it("never passes", () => { throw new Error("wrong"); });`;
const FINE = `import { it } from "vitest"; it("passes", () => {});`;
/** Its tests pass, and something fails behind them. */
const REJECTS = `import { it } from "vitest"; it("passes", () => { void Promise.reject(new Error("behind")); });`;

function run(files: Readonly<Record<string, string>>): { status: number | null; said: string } {
  const folder = mkdtempSync(join(tmpdir(), "baton-flaky-"));
  folders.push(folder);
  symlinkSync(modules, join(folder, "node_modules"));
  mkdirSync(join(folder, "test"));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, "test", name), text);
  const report = join(folder, "failures.json");
  const options = { cwd: folder, encoding: "utf8", env: { ...process.env, BATON_FAILURES: report } } as const;
  const vitest = join(modules, "vitest", "vitest.mjs");
  const reporter = `--reporter=${join(scripts, "failures-reporter.mjs")}`;
  const first = spawnSync(process.execPath, [vitest, "run", reporter], options);
  expect(first.status).not.toBe(0);
  const again = spawnSync(process.execPath, [join(scripts, "run-failed-again.mjs"), report], options);
  return { status: again.status, said: again.stderr };
}

it("passes a run whose failed file passes alone, and names it with both outcomes", () => {
  const { status, said } = run({ "a.test.ts": FLAKY, "b.test.ts": FINE });
  expect(said).toContain(
    "FLAKY test/a.test.ts > passes the second time\n  first: failed (too slow)\n  alone: passed",
  );
  expect(status).toBe(0);
});

it("fails a run with a file that fails twice, beside one that does not", () => {
  const { status, said } = run({ "a.test.ts": FLAKY, "b.test.ts": BROKEN });
  expect(said).toContain("FLAKY test/a.test.ts");
  expect(said).toContain("FAILED test/b.test.ts > never passes\n  first: failed (wrong)\n  alone: failed");
  expect(status).toBe(1);
});

it("fails a run with more than three failed files, with errors outside the tests, or that left no report", () => {
  const four = Object.fromEntries(["a", "b", "c", "d"].map((name) => [`${name}.test.ts`, FLAKY]));
  expect(run(four)).toMatchObject({ status: 1, said: expect.stringContaining("4 test files failed") });
  expect(run({ "a.test.ts": REJECTS })).toMatchObject({
    status: 1,
    said: expect.stringContaining("errors outside any test: behind"),
  });
  const none = spawnSync(process.execPath, [join(scripts, "run-failed-again.mjs"), "none.json"], {
    encoding: "utf8",
  });
  expect(none).toMatchObject({ status: 1, stderr: expect.stringContaining("left no report") });
});
