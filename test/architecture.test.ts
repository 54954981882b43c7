/** Arrows point one way; platforms are named in one place; the environment is read in one place. */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { LOCAL, platforms } from "../src/session/platform.js";

const src = resolve(dirname(fileURLToPath(import.meta.url)), "../src");

/** Which folders of src/ a folder may import; files at the top of src/ compose and may import all. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  util: [],
  session: ["util"],
  agent: ["session", "util"],
  adapter: ["session", "util"],
  delivery: ["session", "util"],
  schedule: ["session", "util"],
  process: ["session", "util"],
  config: ["session", "util"],
  log: ["util"],
  store: ["session", "util", "delivery", "schedule", "process", "gateway"],
  gateway: ["agent", "adapter", "delivery", "schedule", "process", "config", "log", "session", "util"],
  cli: ["gateway", "agent", "adapter", "delivery", "schedule", "process", "config", "log", "session", "util"],
  testing: ["agent", "adapter", "delivery", "schedule", "process", "gateway", "session", "util"],
};

/** In words of code, not prose: `signal` and `local` are also ordinary English, so those only count as whole strings. */
const WORDS = ["signal", LOCAL];
const NAMES = platforms().filter((name) => !WORDS.includes(name));
const PLATFORM_NAME = new RegExp(`\\b(?:${NAMES.join("|")})\\b|(["'\`])(?:${WORDS.join("|")})\\1`, "i");
/** A platform is its folder and a line: only this machine is known beside the adapters. */
const NAMES_PLATFORMS = [/^session\/platform\.ts$/, /^adapter\//];

interface Source {
  readonly path: string;
  readonly folder: string | null;
  readonly text: string;
}

function sources(): Source[] {
  return readdirSync(src, { recursive: true, encoding: "utf8" })
    .map((path) => path.replaceAll("\\", "/"))
    .filter((path) => path.endsWith(".ts") && !path.endsWith(".test.ts"))
    .map((path) => sourceAt(path, readFileSync(join(src, path), "utf8")));
}

function sourceAt(path: string, text: string): Source {
  return { path, folder: path.includes("/") ? (path.split("/")[0] ?? null) : null, text };
}

/** The files of src/ that a file imports, statically or lazily. */
function imports(source: Source): string[] {
  const found = source.text.matchAll(/(?:from|import)\s*\(?\s*"(\.[^"]+)"/g);
  return [...found].map(([, target = ""]) =>
    relative(src, resolve(src, dirname(source.path), target)).replace(/\.js$/, ".ts"),
  );
}

function wrongArrows(files: readonly Source[]): string[] {
  return files.flatMap((source) => {
    if (source.folder === null) return [];
    const allowed = MAY_IMPORT[source.folder];
    if (!allowed) return [`src/${source.folder}/ is not in the design: give it its place in MAY_IMPORT`];
    return imports(source)
      .map((target) => ({ target, folder: target.includes("/") ? (target.split("/")[0] ?? "") : "" }))
      .filter(({ folder }) => folder !== source.folder && !allowed.includes(folder))
      .map(({ target }) => `${source.path} → ${target}`);
  });
}

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\/|(?<![:"'`])\/\/.*$/gm, "");
}

function platformNames(files: readonly Source[]): string[] {
  return files
    .filter(({ path }) => !NAMES_PLATFORMS.some((place) => place.test(path)))
    .flatMap(({ path, text }) => {
      const lines = withoutComments(text).split("\n");
      return lines.filter((line) => PLATFORM_NAME.test(line)).map((line) => `${path}: ${line.trim()}`);
    });
}

function environmentReads(files: readonly Source[]): string[] {
  return files
    .filter(({ path }) => !path.startsWith("config/"))
    .filter(({ text }) =>
      /process\s*\.\s*env|process\s*\[\s*["']env|\benv\b[^\n]*from\s*"(?:node:)?process"/.test(
        withoutComments(text),
      ),
    )
    .map(({ path }) => path);
}

/** Files that import each other, directly or around a corner. */
function cycles(files: readonly Source[]): string[] {
  const graph = new Map(files.map((source) => [source.path, valueImports(source)]));
  const done = new Set<string>();
  const found: string[] = [];
  const visit = (path: string, trail: string[]): void => {
    if (trail.includes(path)) {
      found.push([...trail.slice(trail.indexOf(path)), path].join(" → "));
      return;
    }
    if (done.has(path)) return;
    for (const next of graph.get(path) ?? []) visit(next, [...trail, path]);
    done.add(path);
  };
  for (const path of graph.keys()) visit(path, []);
  return found;
}

/** Imports that exist when the program runs; types alone tie no knot. */
function valueImports(source: Source): string[] {
  return imports({ ...source, text: source.text.replace(/(?:import|export) type [^;]*;/g, "") });
}

/** The recursive one of Node.js never returns below /proc: see util/make-folder.ts. */
function hangingFolders(files: readonly Source[]): string[] {
  return files
    .filter(({ path }) => path !== "util/make-folder.ts")
    .filter(({ text }) => /\bmkdir(?:Sync)?\([^;]*recursive/.test(withoutComments(text)))
    .map(({ path }) => path);
}

describe("the code", () => {
  const files = sources();

  it("points its arrows one way", () => {
    expect(files.length).toBeGreaterThan(20);
    expect(wrongArrows(files)).toEqual([]);
  });

  it("has no import cycles", () => {
    expect(cycles(files)).toEqual([]);
  });

  it("names platforms only among the adapters, and this machine in the table", () => {
    expect(NAMES.length).toBeGreaterThan(4);
    expect(platformNames(files)).toEqual([]);
  });

  it("makes folders in one way", () => {
    expect(hangingFolders(files)).toEqual([]);
    expect(hangingFolders([sourceAt("cli/x.ts", "mkdirSync(a, { recursive: true })")])).toHaveLength(1);
  });

  it("reads the environment only in the configuration", () => {
    expect(environmentReads(files)).toEqual([]);
  });
});

describe("the checks themselves", () => {
  it("see a wrong arrow, static or lazy", () => {
    const wrong = [
      sourceAt("session/x.ts", 'import { y } from "../store/db.js";'),
      sourceAt("util/x.ts", 'const y = await import("../session/source.js");'),
      sourceAt("cli/x.ts", 'import type { Db } from "../store/db.js";'),
      sourceAt("store/x.ts", 'export * from "../cli/list.js";'),
      sourceAt("misc/x.ts", ""),
    ];
    expect(wrongArrows(wrong)).toHaveLength(5);
    expect(wrongArrows([sourceAt("store/sql/x.ts", 'import { y } from "../../session/source.js";')])).toEqual(
      [],
    );
  });

  it("see a platform's name and the environment, but not in a comment", () => {
    const named = [
      sourceAt("cli/a.ts", 'if (platform === "signal") return;'),
      sourceAt("gateway/b.ts", "const telegram = 1;"),
      sourceAt("session/c.ts", "/** Telegram and Slack */\n// discord\nconst url = 'x';"),
    ];
    expect(platformNames(named)).toHaveLength(2);
    expect(
      environmentReads([
        sourceAt("cli/a.ts", "process.env.HOME"),
        sourceAt("config/a.ts", "process.env.HOME"),
      ]),
    ).toEqual(["cli/a.ts"]);
  });

  it("see a knot", () => {
    const knot = [
      sourceAt("util/a.ts", 'import { b } from "./b.js";'),
      sourceAt("util/b.ts", 'import { a } from "./a.js";'),
    ];
    expect(cycles(knot)).toHaveLength(1);
  });
});
