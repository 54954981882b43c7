/**
 * npm warns nobody: neither who clones Baton nor who installs the package. `.ci/run` looks at what npm really prints; this
 * says which package it would be about. Users get every package that the built files import; the build puts all others into
 * `dist/main/` and `dist/lib/`.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { modulesIn } from "../support/built-files.js";
import { nodesOf, type SourceFile, sourceFile } from "../support/source-files.js";

interface Locked {
  readonly dev?: boolean;
  readonly hasInstallScript?: boolean;
  readonly inBundle?: boolean;
}

interface Package {
  readonly scripts: Readonly<Record<string, string>>;
  readonly allowScripts: Readonly<Record<string, boolean>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly optionalDependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
}

function read<T>(name: string): T {
  return JSON.parse(readFileSync(new URL(`../../${name}`, import.meta.url), "utf8")) as T;
}

const packageJson = read<Package>("package.json");
const locked = read<{ packages: Record<string, Locked> }>("package-lock.json").packages;

function withScript(packages: Readonly<Record<string, Locked>>): [name: string, found: Locked][] {
  return Object.entries(packages)
    .filter(([path, { hasInstallScript }]) => path !== "" && hasInstallScript)
    .map(([path, found]) => [path.split("node_modules/").at(-1) ?? path, found]);
}

/** npm asks who clones Baton whether these may run their scripts. */
function undecided(packages: Readonly<Record<string, Locked>>, { allowScripts }: Package): string[] {
  return withScript(packages).flatMap(([name]) => (name in allowScripts ? [] : [name]));
}

/** npm asks who installs the package the same; it never asks about what is inside. */
function asksUsers(packages: Readonly<Record<string, Locked>>, { scripts }: Package): string[] {
  const own = ["preinstall", "install", "postinstall", "prepare"].filter((name) => name in scripts);
  return [
    ...own,
    ...withScript(packages).flatMap(([name, { dev, inBundle }]) => (dev || inBundle ? [] : [name])),
  ];
}

const DOORS = ["index", "testing/index", "adapter/markdown/index", "main"];
const { dependencies, optionalDependencies, peerDependencies } = packageJson;
const INSTALLED = Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies });
/** A package of types, which a package that we have needs and brings. */
const BROUGHT = ["mdast"];

/** What a module of dist/ imports: values and types, at once and later. */
function imported(file: SourceFile): string[] {
  return nodesOf(file.program).flatMap((node) => {
    const named = "source" in node ? node.source : null;
    return named?.type === "Literal" && typeof named.value === "string" ? [named.value] : [];
  });
}

function packageOf(name: string): string {
  return name.split("/", name.startsWith("@") ? 2 : 1).join("/");
}

/** Modules that can be reached from this one, with the packages that they import but users do not get. */
function notInstalled(door: string, ending: string): string[] {
  const seen = new Set([door]);
  const missing: string[] = [];
  for (const path of seen) {
    for (const name of imported(sourceFile(path, readFileSync(path, "utf8")))) {
      if (name.startsWith(".")) seen.add(join(dirname(path), name.replace(/\.js$/, ending)));
      else if (!isBuiltin(name) && ![...INSTALLED, ...BROUGHT].includes(packageOf(name)))
        missing.push(`${path} → ${name}`);
    }
  }
  return missing;
}

describe("the package", () => {
  it.each(DOORS)("brings what dist/%s imports", (door) => {
    expect(notInstalled(`dist/${door}.js`, ".js")).toEqual([]);
    if (existsSync(`dist/${door}.d.ts`)) expect(notInstalled(`dist/${door}.d.ts`, ".d.ts")).toEqual([]);
  });

  it("has each module of the library once, so that a class is the same at each door", () => {
    const doors = ["index", "testing/index", "adapter/markdown/index"].map((door) => `dist/${door}.js`);
    const parts = readdirSync("dist/lib").map((name) => `dist/lib/${name}`);
    const modules = [...doors, ...parts].flatMap(modulesIn);
    expect(modules).toEqual(expect.arrayContaining(["session/errors.js", "adapter/markdown/render.js"]));
    expect(modules.filter((name, place) => modules.indexOf(name) !== place)).toEqual([]);
  });

  it("would be seen to lack one", () => {
    expect(notInstalled("dist/cli/run.js", ".js").join()).toContain("→ commander");
    expect(notInstalled("dist/agent/ai-sdk/provider.d.ts", ".d.ts").join()).toContain("→ @ai-sdk/");
  });
});

describe("npm install", () => {
  it("knows which packages may run their scripts", () => {
    expect(withScript(locked).length).toBeGreaterThan(0);
    expect(undecided(locked, packageJson)).toEqual([]);
  });

  it("asks users about no script", () => {
    expect(asksUsers(locked, packageJson)).toEqual([]);
  });

  it("would be seen to ask", () => {
    const packages = { "": {}, "node_modules/a/node_modules/@b/c": { hasInstallScript: true } };
    expect(undecided(packages, packageJson)).toEqual(["@b/c"]);
    expect(asksUsers(packages, { ...packageJson, scripts: { prepare: "tsc" } })).toEqual(["prepare", "@b/c"]);
  });
});
