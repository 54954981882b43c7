import { defineConfig } from "vitest/config";

const src = (path: string) => new URL(`src/${path}`, import.meta.url).pathname;

export default defineConfig({
  // The examples import the package by its name.
  resolve: {
    alias: [
      { find: /^baton-gateway$/, replacement: src("index.ts") },
      { find: /^baton-gateway\/markdown$/, replacement: src("adapter/markdown/index.ts") },
      { find: /^baton-gateway\/testing$/, replacement: src("testing/index.ts") },
    ],
  },
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts"],
    // Tests that start processes run the compiled code.
    globalSetup: "test/setup/build.mjs",
    // The heart knows no platform by itself: those that come along are there in every test, as in every program.
    setupFiles: "src/adapter/platforms.ts",
    // Processes rather than threads: tests that kill, stop and starve children must not share one.
    pool: "forks",
    // As many as CI has cores; by itself vitest would leave one idle.
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 180_000,
    // As long as a test: a busy machine takes its time.
    expect: { poll: { timeout: 55_000 } },
  },
});
