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

/** Every node of a tree, in no order. */
export function nodesOf(tree: unknown): Node[] {
  const nodes: Node[] = [];
  const left = [tree];
  while (left.length > 0) {
    const node = left.pop();
    if (typeof node !== "object" || node === null) continue;
    if ("type" in node) nodes.push(node as Node);
    left.push(...Object.values(node));
  }
  return nodes;
}

export function placeOf({ path, text }: SourceFile, { start, end }: { start: number; end: number }): string {
  const line = text.slice(0, start).split("\n").length;
  return `${path}:${line}: ${text.slice(start, end).slice(0, 100)}`;
}
