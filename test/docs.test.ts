/** The examples of the documentation, run as they stand: what each prints must be what its `// →` lines say. */
import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const pages = ["README.md", ...readdirSync(join(root, "docs")).map((name) => join("docs", name))].filter(
  (page) => page.endsWith(".md"),
);

interface Example {
  readonly page: string;
  readonly line: number;
  readonly code: string;
}

function examplesIn(page: string): Example[] {
  const text = readFileSync(join(root, page), "utf8");
  return [...text.matchAll(/^```ts\n([\s\S]*?)^```/gm)].map((match) => ({
    page,
    line: text.slice(0, match.index).split("\n").length,
    code: match[1] ?? "",
  }));
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

const examples = pages.flatMap(examplesIn);

describe("the documentation", () => {
  it("has examples", () => {
    expect(examples.length).toBeGreaterThanOrEqual(8);
  });

  it.each(examples)("$page:$line", async ({ code }) => {
    const expected = [...code.matchAll(/\/\/ → (.*)$/gm)].map(([, line]) => line);
    const { output, errors, exit } = await run(code);
    expect(errors).toBe("");
    expect(exit).toBe(0);
    expect(expected.length).toBeGreaterThan(0);
    expect(output.trimEnd().split("\n")).toEqual(expected);
  });

  it("links only to pages that exist", () => {
    const missing = pages.flatMap((page) =>
      [...readFileSync(join(root, page), "utf8").matchAll(/\]\((?!https?:|#)([^)#]+)[^)]*\)/g)]
        .map(([, target = ""]) => join(dirname(page), target))
        .filter(
          (target) => !readdirSync(join(root, dirname(target))).includes(target.split("/").at(-1) ?? ""),
        ),
    );
    expect(missing).toEqual([]);
  });
});
