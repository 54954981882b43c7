import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts"],
    // Tests that start processes run the compiled code.
    globalSetup: "test/setup/build.mjs",
    // Processes rather than threads: tests that kill, stop and starve children must not share one.
    pool: "forks",
    testTimeout: 20_000,
    hookTimeout: 60_000,
  },
});
