/** How much a browser loads before the page can be used: what its HTML names, and what the scripts among that import at once. */
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";

const FOLDER = fileURLToPath(new URL("../../dist/web/", import.meta.url));
const MOST = 40_000;

/** Each file once, by its path in the folder. */
function firstLoad(): ReadonlyMap<string, string> {
  const html = readFileSync(join(FOLDER, "index.html"), "utf8");
  const files = new Map([["index.html", html]]);
  const load = (path: string): void => {
    if (files.has(path)) return;
    const text = readFileSync(join(FOLDER, path), "utf8");
    files.set(path, text);
    if (!path.endsWith(".js")) return;
    for (const [, name] of text.matchAll(/(?:from|import)\s*["'`](\.\/[^"'`]+)["'`]/g))
      load(join(dirname(path), String(name)));
  };
  for (const [, path] of html.matchAll(/<(?:script|link)[^>]+(?:src|href)="\/(assets\/[^"]+)"/g))
    load(String(path));
  return files;
}

test("the first load has at most 40 kB", () => {
  const files = firstLoad();
  const sizes = [...files].map(([path, text]) => [path, gzipSync(text).length] as const);
  const all = sizes.reduce((sum, [, size]) => sum + size, 0);
  expect(all, JSON.stringify(sizes)).toBeLessThanOrEqual(MOST);
  const endings = new Set(sizes.map(([path]) => path.split(".").at(-1)));
  expect([...endings].sort()).toEqual(["css", "html", "js"]);
});

test("plots and what reads Markdown are loaded when they are shown", () => {
  const text = [...firstLoad().values()].join("\n");
  expect(text).toMatch(/import\(["'`]\.\/formatted-/);
  expect(text).not.toMatch(/uplot\.|u-legend/i);
});
