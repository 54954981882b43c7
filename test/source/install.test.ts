/**
 * npm warns nobody: neither who clones Baton nor who installs the package. `.ci/run` looks at what npm really prints; this
 * says which package it would be about.
 */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

interface Locked {
  readonly dev?: boolean;
  readonly hasInstallScript?: boolean;
  readonly inBundle?: boolean;
}

interface Package {
  readonly scripts: Readonly<Record<string, string>>;
  readonly allowScripts: Readonly<Record<string, boolean>>;
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
    expect(asksUsers(packages, { scripts: { prepare: "tsc" }, allowScripts: {} })).toEqual([
      "prepare",
      "@b/c",
    ]);
  });
});
