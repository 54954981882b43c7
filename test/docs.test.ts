/**
 * The `ts` blocks of the documentation. The compiler checks each block as strictly as our own code, against the types
 * that the package brings along. The compiled block is then run, and must print what its `// →` lines say. A
 * `ts no-run` block is only checked.
 */
import { execFileSync, spawn } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import packageJson from "../package.json" with { type: "json" };

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const pages = [
  ...readdirSync(root),
  ...["docs", "src"].flatMap((top) =>
    readdirSync(join(root, top), { recursive: true, encoding: "utf8" }).map((name) => join(top, name)),
  ),
].filter((page) => page.endsWith(".md"));

interface Block {
  readonly page: string;
  readonly line: number;
  readonly code: string;
  readonly isRun: boolean;
}

function blocksIn(page: string): Block[] {
  const text = readFileSync(join(root, page), "utf8");
  return [...text.matchAll(/^```ts( no-run)?\n([\s\S]*?)^```/gm)].map((match) => ({
    page,
    line: text.slice(0, match.index).split("\n").length,
    code: match[2] ?? "",
    isRun: match[1] === undefined,
  }));
}

const blocks = pages.flatMap(blocksIn);
const folder = mkdtempSync(join(tmpdir(), "baton-docs-"));
afterAll(() => rmSync(folder, { recursive: true }));

const nameOf = ({ page, line }: Block): string => `${page.replaceAll("/", "-")}-${line}`;

/** Returns what the compiler says about all blocks. A block's JavaScript is in `folder`/js afterwards. */
function compile(): string {
  const types = Object.entries(packageJson.exports).map(([name, { types }]) => [
    join(packageJson.name, name),
    [join(root, types)],
  ]);
  const compilerOptions = { noEmit: false, rootDir: "ts", outDir: "js", paths: Object.fromEntries(types) };
  const config = { extends: join(root, "tsconfig.json"), compilerOptions, include: ["ts"] };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  mkdirSync(join(folder, "ts"));
  for (const block of blocks) {
    // As far down as in its page, so that the compiler's line numbers are the page's.
    writeFileSync(join(folder, "ts", `${nameOf(block)}.mts`), "\n".repeat(block.line) + block.code);
  }
  try {
    return execFileSync(join(root, "node_modules/.bin/tsc"), ["--pretty", "false"], {
      cwd: folder,
      encoding: "utf8",
    });
  } catch (error) {
    return (error as { stdout: string }).stdout;
  }
}

/** Runs a module from the project's root, where the package's own name resolves to its build. */
async function run(code: string): Promise<{ output: string; errors: string; exit: number | null }> {
  const child = spawn(process.execPath, ["--input-type=module", "-"], { cwd: root });
  let output = "";
  let errors = "";
  child.stdout.on("data", (chunk) => (output += chunk));
  child.stderr.on("data", (chunk) => (errors += chunk));
  child.stdin.end(code);
  const exit = await new Promise<number | null>((done) => child.on("close", done));
  return { output, errors, exit };
}

describe("the documentation", () => {
  let complaints = "";
  beforeAll(() => {
    complaints = compile();
  });

  it("has examples that the compiler accepts", () => {
    expect(blocks.length).toBeGreaterThanOrEqual(15);
    expect(complaints).toBe("");
  });

  it.each(blocks.filter(({ isRun }) => isRun))("$page:$line", async (block) => {
    const expected = [...block.code.matchAll(/\/\/ → (.*)$/gm)].map(([, line]) => line);
    const { output, errors, exit } = await run(
      readFileSync(join(folder, "js", `${nameOf(block)}.mjs`), "utf8"),
    );
    expect(errors).toBe("");
    expect(exit).toBe(0);
    expect(expected.length).toBeGreaterThan(0);
    expect(output.trimEnd().split("\n")).toEqual(expected);
  });

  it("names only files that exist", () => {
    const missing = pages.flatMap((page) =>
      [
        ...readFileSync(join(root, page), "utf8").matchAll(
          /`((?:src|test|scripts|docs|examples|bench)\/[\w./-]+)`/g,
        ),
      ]
        .map(([, path = ""]) => path)
        .filter((path) => !existsSync(join(root, path)))
        .map((path) => `${page}: ${path}`),
    );
    expect(missing).toEqual([]);
  });

  it("has a row for each file of a platform whose README lists its files", () => {
    for (const page of pages.filter((name) => /^src\/adapter\/.*README\.md$/.test(name))) {
      const text = readFileSync(join(root, page), "utf8");
      if (!text.includes("| file |")) continue;
      const listed = [...text.matchAll(/^\| (`[^|]+) \|/gm)].flatMap(
        ([, cell = ""]) => cell.match(/[\w-]+\.ts\b/g) ?? [],
      );
      const files = readdirSync(join(root, dirname(page))).filter((name) => /(?<!\.test)\.ts$/.test(name));
      expect(listed.sort(), page).toEqual(files.sort());
    }
  });

  it("gives a reason for each dependency, and for no other", () => {
    const text = readFileSync(join(root, "ARCHITECTURE.md"), "utf8");
    const table = text.slice(text.indexOf("## Dependencies"));
    const named = [...table.matchAll(/^\| (`[^|]+) \|/gm)].flatMap(([, cell = ""]) =>
      [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name),
    );
    const { dependencies, optionalDependencies, devDependencies, peerDependencies } = packageJson;
    const used = new Set(
      Object.keys({ ...dependencies, ...optionalDependencies, ...devDependencies, ...peerDependencies }),
    );
    expect(named.sort()).toEqual([...used].sort());
  });

  it("links only to pages and headings that exist", () => {
    const missing = pages.flatMap((page) =>
      [...readFileSync(join(root, page), "utf8").matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)/g)]
        .map(([, path = "", heading]) => ({
          target: path === "" ? page : join(dirname(page), path),
          heading,
        }))
        .filter(({ target, heading }) => !leadsSomewhere(target, heading))
        .map(({ target, heading }) => `${page}: ${target}${heading ? `#${heading}` : ""}`),
    );
    expect(missing).toEqual([]);
  });
});

function leadsSomewhere(target: string, heading: string | undefined): boolean {
  if (!existsSync(join(root, target))) return false;
  return heading === undefined || headingsOf(target).includes(heading);
}

/** The headings of a page as links name them. */
function headingsOf(page: string): string[] {
  const text = readFileSync(join(root, page), "utf8").replaceAll(/^```[\s\S]*?^```/gm, "");
  return [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );
}
