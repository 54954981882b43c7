/** The program's own source as trees, for rules that no linter has. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Node, type Program, parseSync } from "oxc-parser";

export interface SourceFile {
  readonly path: string;
  readonly text: string;
  readonly program: Program;
}

export function sourceFiles(folder: string): SourceFile[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"))
    .map((name) => join(folder, name))
    .map((path) => sourceFile(path, readFileSync(path, "utf8")));
}

export function sourceFile(path: string, text: string): SourceFile {
  return { path, text, program: parseSync(path, text).program };
}

/** Every node of a tree, the outer ones first. */
export function* nodesOf(node: unknown): Generator<Node> {
  if (typeof node !== "object" || node === null) return;
  if ("type" in node) yield node as Node;
  for (const child of Object.values(node)) yield* nodesOf(child);
}

export function placeOf({ path, text }: SourceFile, { start, end }: { start: number; end: number }): string {
  const line = text.slice(0, start).split("\n").length;
  return `${path}:${line}: ${text.slice(start, end).slice(0, 100)}`;
}
