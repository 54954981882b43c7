/** What is loaded at a start: most of a start goes into opening files, and that can be counted. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));

/** The modules that are loaded, from the root of this project. */
function loadedBy(...words: string[]): string[] {
  const folder = mkdtempSync(join(tmpdir(), "baton-start-"));
  const { status, stderr } = spawnSync(process.execPath, words, {
    cwd: folder,
    env: { PATH: process.env.PATH ?? "", BATON_HOME: folder, NODE_DEBUG: "esm" },
    encoding: "utf8",
    maxBuffer: 2 ** 28,
  });
  rmSync(folder, { recursive: true });
  expect(status).toBe(0);
  const found = stderr.matchAll(new RegExp(`file://${root}([\\w@./+-]+\\.m?js)`, "g"));
  return [...new Set([...found].map(([, path = ""]) => path))];
}

test("a program that only imports the library loads neither the store nor the gateway nor a parser", () => {
  const loaded = loadedBy("--input-type=module", "-e", `import ${JSON.stringify(`${root}dist/index.js`)}`);
  expect(loaded).toContain("dist/session/sessions.js");
  const { dependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const packages = Object.keys(dependencies).filter((name) =>
    loaded.some((path) => path.startsWith(`node_modules/${name}/`)),
  );
  expect(packages).toEqual(["temporal-polyfill"]);
  expect(loaded).not.toContain("dist/store/sql-store.js");
  expect(loaded).not.toContain("dist/gateway/gateway.js");
});

test("baton sessions list loads few files, and --version hardly any", () => {
  expect(loadedBy(join(root, "dist/main.js"), "sessions", "list").length).toBeLessThan(40);
  expect(loadedBy(join(root, "dist/main.js"), "--version").length).toBeLessThan(5);
});
