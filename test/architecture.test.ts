/**
 * Arrows point one way, also below the top folders and also for types; files are small and know few others; platforms are
 * named in one place; the environment is read in one place. That no id is taken apart is in
 * `source/strings-as-protocol.test.ts`.
 */
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
  memory: ["session", "util"],
  agent: ["memory", "session", "util"],
  adapter: ["session", "util"],
  delivery: ["adapter", "session", "util"],
  schedule: ["session", "util"],
  process: ["session", "util"],
  document: ["util"],
  voice: ["adapter", "session", "util"],
  config: ["session", "util"],
  log: ["util"],
  store: ["session", "util", "memory", "delivery", "schedule", "process", "gateway"],
  gateway: [
    "agent",
    "adapter",
    "memory",
    "delivery",
    "schedule",
    "process",
    "document",
    "config",
    "log",
    "session",
    "util",
  ],
  cli: [
    "gateway",
    "agent",
    "adapter",
    "memory",
    "delivery",
    "schedule",
    "process",
    "config",
    "log",
    "session",
    "util",
  ],
  web: ["gateway", "adapter", "memory", "schedule", "process", "config", "log", "session", "util"],
  page: ["web", "adapter", "util"],
  testing: ["agent", "adapter", "memory", "delivery", "schedule", "process", "gateway", "session", "util"],
};

/**
 * Which neighbours a folder below may import. The files beside it are the ports of its top folder, or put the folders
 * together: because no two files import each other, not even their types, a folder never imports those that import it.
 */
const MAY_IMPORT_BESIDE: Readonly<Record<string, readonly string[]>> = {
  "adapter/markdown": [],
  "adapter/*": ["markdown"],
  "agent/ai-sdk": [],
  "agent/mcp": ["tools"],
  "agent/sandbox": [],
  "agent/tools": ["sandbox"],
  "cli/verbs": [
    "completion",
    "config",
    "cron",
    "handoff",
    "memory",
    "people",
    "processes",
    "service",
    "setup",
  ],
  "cli/memory": ["people"],
  "cli/*": [],
  "gateway/commands": ["handoff", "jobs", "memory", "processes", "web"],
  "gateway/handoff": [],
  "gateway/jobs": [],
  "gateway/memory": [],
  "gateway/processes": [],
  "gateway/terminals": [],
  "gateway/web": [],
  "page/views": [],
  "process/*": [],
  "store/jsonl": ["sqlite"],
  "store/migrations": [],
  "store/postgres": ["search"],
  "store/search": ["migrations", "sql"],
  "store/sql": [],
  "store/sqlite": ["migrations", "search"],
  "testing/adapter": [],
  "web/dashboard": [],
};

/** How long a file may be, and how many others of ours it may import. What is over has to become less, never more. */
const MOST_LINES = 400;
const LONGER: Readonly<Record<string, number>> = {
  "session/sessions.ts": 565,
};
const MOST_IMPORTS = 22;
const BROADER: Readonly<Record<string, number>> = {
  "gateway/for-commands.ts": 26,
  "gateway/gateway.ts": 28,
  "gateway/commands/table.ts": 30, // A list: one line a command.
  "store/migrations/index.ts": 40, // A list: one line a migration.
};

/** In words of code, not prose: `signal`, `web` and `local` are also ordinary English, so those only count as whole strings. */
const WORDS = ["signal", "web", LOCAL];
const NAMES = platforms().filter((name) => !WORDS.includes(name));
const PLATFORM_NAME = new RegExp(`\\b(?:${NAMES.join("|")})\\b|(["'\`])(?:${WORDS.join("|")})\\1`, "i");
/** A platform is its folder and a line: only this machine is known beside the adapters, also as a place for commands. */
const NAMES_PLATFORMS = [
  /^(?:cli\/verbs|gateway\/commands)\/web\.ts$/, // A command, which is called as the page is.
  /^session\/platform\.ts$/,
  /^util\/command-environment\.ts$/,
  /^adapter\//,
];

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

/** Its folder within the top folder; null for a file beside those. */
function below(path: string): string | null {
  const [, folder, file] = path.split("/");
  return file === undefined ? null : (folder ?? null);
}

function wrongArrowsBelow(files: readonly Source[]): string[] {
  return files.flatMap((source) => {
    const { folder: top, path } = source;
    const from = below(path);
    if (top === null || from === null) return [];
    const allowed = MAY_IMPORT_BESIDE[`${top}/${from}`] ?? MAY_IMPORT_BESIDE[`${top}/*`];
    if (!allowed) return [`src/${top}/${from}/ is not in the design: give it its place in MAY_IMPORT_BESIDE`];
    return imports(source).flatMap((target) => {
      const to = target.startsWith(`${top}/`) ? below(target) : null;
      return to === null || to === from || allowed.includes(to) ? [] : [`${path} → ${target}`];
    });
  });
}

/** What is over its budget, and what is in a list of exceptions without need. */
function overBudget(
  files: readonly Source[],
  sizeOf: (source: Source) => number,
  budget: number,
  exceptions: Readonly<Record<string, number>>,
): string[] {
  return files.flatMap((source) => {
    const [size, most = budget] = [sizeOf(source), exceptions[source.path]];
    if (size > most) return [`${source.path}: ${size}, at most ${most}`];
    return most > budget && size <= budget ? [`${source.path} is no exception any more`] : [];
  });
}

/** The suites of cases that implementations must pass are as long as they have cases. */
function linesOf({ path, text }: Source): number {
  return path.endsWith("-contract.ts") ? 0 : text.split("\n").length - 1;
}

/** Files at the top of src/ put the others together: they have to know many. */
function breadthOf(source: Source): number {
  return source.folder === null ? 0 : new Set(imports(source)).size;
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

/** Files that import each other, directly or around a corner, be it only for a type. */
function cycles(files: readonly Source[]): string[] {
  const graph = new Map(files.map((source) => [source.path, imports(source)]));
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

  it("points them one way below the top folders, too", () => {
    expect(wrongArrowsBelow(files)).toEqual([]);
  });

  it("has no import cycles, not even of types", () => {
    expect(cycles(files)).toEqual([]);
  });

  it("is in files of a size that one can read", () => {
    expect(overBudget(files, linesOf, MOST_LINES, LONGER)).toEqual([]);
  });

  it("has files that know few others", () => {
    expect(overBudget(files, breadthOf, MOST_IMPORTS, BROADER)).toEqual([]);
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

  it("see a wrong arrow below, and a folder that nobody placed", () => {
    const wrong = [
      sourceAt("adapter/slack/x.ts", 'import { y } from "../discord/y.js";'),
      sourceAt("store/sql/x.ts", 'import type { Y } from "../search/y.js";'),
      sourceAt("gateway/handoff/x.ts", 'const y = await import("../commands/y.js");'),
      sourceAt("store/misc/x.ts", ""),
    ];
    expect(wrongArrowsBelow(wrong)).toHaveLength(4);
    const right = [
      sourceAt(
        "adapter/slack/x.ts",
        'import { y } from "../markdown/y.js"; import { z } from "../adapter.js";',
      ),
      sourceAt("adapter/whatsapp/baileys/x.ts", 'import { y } from "../y.js";'),
      sourceAt("store/sql-store.ts", 'import { y } from "./sql/y.js";'),
    ];
    expect(wrongArrowsBelow(right)).toEqual([]);
  });

  it("see what is too large, and an exception that is none", () => {
    const files = [
      sourceAt("util/long.ts", "//\n".repeat(3)),
      sourceAt("util/longer.ts", "//\n".repeat(4)),
      sourceAt("util/short.ts", "//\n"),
      sourceAt("util/broad.ts", 'import "./a.js"; import type { B } from "./b.js"; await import("./c.js");'),
      sourceAt("main.ts", 'import "./a.js"; import "./b.js"; import "./c.js";'),
    ];
    const exceptions = { "util/longer.ts": 3, "util/short.ts": 3 };
    expect(overBudget(files, linesOf, 2, exceptions)).toEqual([
      "util/long.ts: 3, at most 2",
      "util/longer.ts: 4, at most 3",
      "util/short.ts is no exception any more",
    ]);
    expect(overBudget(files, breadthOf, 2, {})).toEqual(["util/broad.ts: 3, at most 2"]);
  });

  it("see a knot", () => {
    const knot = [
      sourceAt("util/a.ts", 'import { b } from "./b.js";'),
      sourceAt("util/b.ts", 'import { a } from "./a.js";'),
    ];
    expect(cycles(knot)).toHaveLength(1);
    const ofTypes = knot.map(({ path, text }) => sourceAt(path, text.replace("import", "import type")));
    expect(cycles(ofTypes)).toHaveLength(1);
  });
});
