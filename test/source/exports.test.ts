/**
 * If the package exports a declaration, it also exports every type that the declaration mentions: otherwise nobody
 * outside can write that type down. Reads the types as the build makes them.
 */
import { dirname, join } from "node:path";
import type { Node } from "oxc-parser";
import { expect, it } from "vitest";
import { nodesOf, type SourceFile, sourceFile, sourceFiles } from "../support/source-files.js";

/** Baton hands these over; nobody outside writes one, so nobody needs the types of their members. */
const HANDED_OVER = ["AskingCall", "Commands", "CommandCall", "Gateway"];

const DOORS = ["dist/index.d.ts", "dist/testing/index.d.ts"];

it("exports every type that an exported declaration mentions", () => {
  expect(unnamed(sourceFiles("dist"), DOORS)).toEqual([]);
});

it("finds one that is not exported", () => {
  const files = [
    sourceFile("index.d.ts", 'export { type A, f } from "./a.js"; export type * from "./b.js";'),
    sourceFile(
      "a.d.ts",
      'import type { B } from "./b.js"; import type { C, D } from "./c.js"; interface Own {} ' +
        "export interface A<T> { b: B; own: Own; t: T } export declare function f(c: C): D;",
    ),
    sourceFile("b.d.ts", 'import type { A } from "./a.js"; export interface B { a: A<string>[] }'),
    sourceFile("c.d.ts", "export interface C {} export type D = string;"),
  ];
  expect(unnamed(files, ["index.d.ts"])).toEqual(["f mentions C", "f mentions D"]);
});

it("knows one that a module passes on", () => {
  const files = [
    sourceFile("index.d.ts", 'export type * from "./a.js";'),
    sourceFile(
      "a.d.ts",
      'import type { B, C } from "./b.js"; export type { B } from "./b.js"; export interface A { b: B; c: C }',
    ),
    sourceFile("b.d.ts", "export interface B {} export interface C {}"),
  ];
  expect(unnamed(files, ["index.d.ts"])).toEqual(["A mentions C"]);
});

/** An exported name of a module, with the types of ours that its declaration mentions. */
type Export = readonly [name: string, mentioned: readonly string[]];

function unnamed(files: readonly SourceFile[], doors: readonly string[]): string[] {
  const modules = new Map(files.map((file) => [file.path, file]));
  const exported = new Map(
    files.filter(({ path }) => doors.includes(path)).flatMap((door) => passedOn(door, modules)),
  );
  return [...exported]
    .filter(([name]) => !HANDED_OVER.includes(name))
    .flatMap(([name, types]) =>
      types.filter((type) => !exported.has(type)).map((type) => `${name} mentions ${type}`),
    )
    .sort();
}

/** What a module declares and exports. Types that it neither exports nor imports are nobody else's business. */
function exportsOf({ program }: SourceFile): Export[] {
  const declared = program.body.flatMap((node) => {
    if (node.type !== "ExportNamedDeclaration" || !node.declaration) return [];
    const { declaration } = node;
    const parts = declaration.type === "VariableDeclaration" ? declaration.declarations : [declaration];
    return parts.map((part) => ({
      name: "id" in part && part.id && "name" in part.id ? part.id.name : "",
      part,
    }));
  });
  const imported = program.body.flatMap((node) =>
    node.type === "ImportDeclaration" && node.source.value.startsWith(".") ? node.specifiers : [],
  );
  const ours = new Set([...declared.map(({ name }) => name), ...imported.map(({ local }) => local.name)]);
  return declared.map(({ name, part }) => {
    const types = new Set(nodesOf(part).map(typeNamed));
    return [name, [...types].filter((type) => type !== null && ours.has(type))] as Export;
  });
}

/** What a door passes on from other modules, with what they pass on. */
function passedOn(door: SourceFile, modules: ReadonlyMap<string, SourceFile>): readonly Export[] {
  return door.program.body.flatMap((node) => {
    if (!("source" in node) || !node.source || node.type === "ImportDeclaration") return [];
    const module = modules.get(join(dirname(door.path), node.source.value.replace(/\.js$/, ".d.ts")));
    if (!module) return [];
    const there = [...exportsOf(module), ...passedOn(module, modules)];
    if (node.type === "ExportAllDeclaration") return there;
    const names = node.specifiers.map(({ local }) => ("name" in local ? local.name : local.value));
    return there.filter(([name]) => names.includes(name));
  });
}

function typeNamed(node: Node): string | null {
  if (node.type === "TSTypeReference" && node.typeName.type === "Identifier") return node.typeName.name;
  const isHeritage = node.type === "TSInterfaceHeritage" || node.type === "TSClassImplements";
  return isHeritage && node.expression.type === "Identifier" ? node.expression.name : null;
}
