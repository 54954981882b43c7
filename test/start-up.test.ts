/** What is loaded at a start: most of a start goes into opening files, and that can be counted. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { modulesIn } from "./support/built-files.js";

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

test("a program that only imports the library loads neither the store nor the gateway nor a package", () => {
  const loaded = loadedBy("--input-type=module", "-e", `import ${JSON.stringify(`${root}dist/index.js`)}`);
  expect(loaded).toContain("dist/index.js");
  expect(loaded.filter((path) => !path.startsWith("dist/"))).toEqual([]);
  expect(loaded.length).toBeLessThan(22);
  const packages = loaded
    .flatMap((path) => modulesIn(join(root, path)))
    .filter((name) => name.includes("node_modules/"));
  expect(new Set(packages.map((name) => name.split("node_modules/").at(-1)?.split("/")[0]))).toEqual(
    new Set(["temporal-polyfill", "temporal-utils"]),
  );
  const later = readdirSync(join(root, "dist/lib")).filter((name) => /^(?:sql-store|gateway)-/.test(name));
  expect(later).toHaveLength(2);
  expect(loaded.filter((path) => later.some((name) => path.endsWith(name)))).toEqual([]);
});

test("baton sessions list loads few files, and --version hardly any", () => {
  expect(loadedBy(join(root, "dist/main.js"), "sessions", "list").length).toBeLessThan(40);
  expect(loadedBy(join(root, "dist/main.js"), "--version").length).toBeLessThan(5);
});
