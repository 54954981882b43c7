// Tells a flake from a failure. Takes what failures-reporter.mjs wrote of a failed run and runs each failed file once more,
// alone. If all pass now, the run passes, and says FLAKY with both outcomes: a defect to mend, but not one that stops a landing.
import { spawnSync } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const MOST_FLAKY_FILES = 3;
const folder = dirname(fileURLToPath(import.meta.url));
const vitest = join(dirname(createRequire(import.meta.url).resolve("vitest/package.json")), "vitest.mjs");

function read(report) {
  try {
    return JSON.parse(readFileSync(report, "utf8"));
  } catch (error) {
    return { files: [], unhandled: [`the run left no report (${error.message})`], reason: "interrupted" };
  }
}

/** Why a run is a failure whatever a second run says; null if its failed files may be tried again. */
function hopeless({ files, unhandled, reason }) {
  if (unhandled.length > 0) return `errors outside any test: ${unhandled.join("; ")}`;
  if (reason === "interrupted") return "the run was interrupted";
  if (files.length === 0) return "no test file failed, yet the run did";
  if (files.length > MOST_FLAKY_FILES)
    return `${files.length} test files failed, more than ${MOST_FLAKY_FILES} are not called flaky`;
  return null;
}

function runAlone(file, report) {
  rmSync(report, { force: true });
  const { status } = spawnSync(
    process.execPath,
    [vitest, "run", file, "--reporter=default", `--reporter=${join(folder, "failures-reporter.mjs")}`],
    { stdio: "inherit", env: { ...process.env, BATON_FAILURES: report } },
  );
  return status === 0;
}

const [report] = process.argv.slice(2);
const first = read(report);
const reason = hopeless(first);
if (reason !== null) {
  console.error(`\nFAILED: ${reason}`);
  process.exit(1);
}
const lines = [];
let failedTwice = 0;
for (const { file, tests } of first.files) {
  const passed = runAlone(file, report);
  if (!passed) failedTwice += 1;
  for (const { name, error } of tests) {
    const where = `${relative(process.cwd(), file)} > ${name}`;
    lines.push(
      `${passed ? "FLAKY" : "FAILED"} ${where}\n  first: failed (${error})\n  alone: ${passed ? "passed" : "failed"}`,
    );
  }
}
console.error(`\n${lines.join("\n")}`);
process.exit(failedTwice > 0 ? 1 : 0);
