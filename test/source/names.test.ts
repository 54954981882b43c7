/** One name, one meaning: a type, an interface or a class of the source has a name that no other file declares. */
import { expect, it } from "vitest";
import { type SourceFile, sourceFile, sourceFiles } from "../support/source-files.js";

it("declares each name of a type in one file", () => {
  expect(declaredTwice(sourceFiles("src"))).toEqual([]);
});

it("finds a name that two files declare, exported or not", () => {
  const files = [
    sourceFile("a.ts", "export interface Line {} export const Pen = 1; export type Pen = 1; type Own = 1;"),
    sourceFile("b.ts", "class Line {} function f() { type Own = 2; }"),
    sourceFile("c.ts", 'import type { Line } from "./a.js"; export type { Line }; enum Kind {}'),
    sourceFile("d.ts", "export default class Kind {}"),
  ];
  expect(declaredTwice(files)).toEqual(["Kind: c.ts, d.ts", "Line: a.ts, b.ts"]);
});

function declaredTwice(files: readonly SourceFile[]): string[] {
  const places = new Map<string, string[]>();
  for (const file of files)
    for (const name of new Set(typesOf(file))) places.set(name, [...(places.get(name) ?? []), file.path]);
  return [...places]
    .filter(([, paths]) => paths.length > 1)
    .map(([name, paths]) => `${name}: ${paths.join(", ")}`)
    .sort();
}

const DECLARES_TYPE = [
  "TSTypeAliasDeclaration",
  "TSInterfaceDeclaration",
  "ClassDeclaration",
  "TSEnumDeclaration",
];

function typesOf({ program }: SourceFile): string[] {
  return program.body.flatMap((node) => {
    const declared = "declaration" in node && node.declaration ? node.declaration : node;
    if (!DECLARES_TYPE.includes(declared.type) || !("id" in declared)) return [];
    return declared.id && "name" in declared.id ? [declared.id.name] : [];
  });
}
