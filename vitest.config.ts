import { readdirSync, readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { defineConfig } from "vitest/config";
import { LONGEST, LongestFirst } from "./test/setup/longest-first.js";

const path = (name: string) => new URL(name, import.meta.url).pathname;

/**
 * These share a process with others, one after another: half of the time of a small file is starting a process and loading
 * the code. Not those that start processes themselves or take long, and none that changes what the next one finds.
 */
const CHANGES_ITS_PROCESS =
  /\bvi\.(?:mock|doMock|resetModules|stubEnv|stubGlobal)\(|\bregister(?:Platform|FurtherBot)\(|\bprocess\.chdir\(|\bprocess\.env\.\w+ = /;
const together = readdirSync(path("src"), { recursive: true, encoding: "utf8" })
  .map((name) => join("src", name))
  .filter((name) => name.endsWith(".test.ts") && !name.startsWith(join("src", "process")))
  .filter((name) => !LONGEST.includes(name))
  .filter((name) => !CHANGES_ITS_PROCESS.test(readFileSync(path(name), "utf8")));

export default defineConfig({
  // The examples import the package by its name.
  resolve: {
    alias: [
      { find: /^baton-gateway$/, replacement: path("src/index.ts") },
      { find: /^baton-gateway\/markdown$/, replacement: path("src/adapter/markdown/index.ts") },
      { find: /^baton-gateway\/testing$/, replacement: path("src/testing/index.ts") },
    ],
  },
  test: {
    // Tests that start processes run the compiled code.
    globalSetup: "test/setup/build.mjs",
    // As if Baton were installed: its sentences say `baton`.
    env: { PATH: [path("test/support/bin"), process.env.PATH].join(delimiter) },
    // The heart knows no platform by itself: those that come along are there in every test, as in every program.
    setupFiles: ["src/adapter/platforms.ts"],
    // Processes rather than threads: tests that kill, stop and starve children must not share one.
    pool: "forks",
    // More than CI has cores: many tests wait for a process, a disk or a time-out.
    maxWorkers: 4,
    sequence: { sequencer: LongestFirst },
    testTimeout: 60_000,
    hookTimeout: 180_000,
    // As long as a test: a busy machine takes its time.
    expect: { poll: { timeout: 55_000 } },
    projects: [
      {
        extends: true,
        test: { name: "alone", include: ["src/**/*.test.ts", "test/**/*.test.ts"], exclude: together },
      },
      {
        extends: true,
        test: { name: "together", include: together, isolate: false, setupFiles: ["test/setup/together.ts"] },
      },
    ],
  },
});
