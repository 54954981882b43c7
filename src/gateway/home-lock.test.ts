import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { homeHolder, homeLockFile, type LockHolder, successionFile, takeHome } from "./home-lock.js";

const NOW = Date.UTC(2026, 0, 10, 12);
const SINCE = "2026-01-10T12:00:00.000Z";
const roots: string[] = [];

afterEach(() => {
  for (const root of roots.splice(0)) rmSync(root, { recursive: true, force: true });
});

function makeHome(): string {
  const root = mkdtempSync(join(tmpdir(), "baton-lock-"));
  roots.push(root);
  return join(root, "home");
}

function ended(name: string): LockHolder {
  const { pid } = spawnSync(process.execPath, ["--version"]);
  return { owner: `${hostname()} ${pid} 1 ${name}`, pid, host: hostname(), since: SINCE };
}

function leave(path: string, holder: LockHolder): void {
  writeFileSync(path, JSON.stringify(holder));
}

describe("the lock of a home folder", () => {
  test("is one process's, private, and names it; the next one has it after the release", () => {
    const home = makeHome();
    expect(homeHolder(home)).toBeNull();
    const lock = takeHome(home, NOW);
    expect(statSync(homeLockFile(home)).mode & 0o777).toBe(0o600);
    expect(statSync(home).mode & 0o777).toBe(0o700);
    const holder = { pid: process.pid, host: hostname(), since: SINCE };
    expect(homeHolder(home)).toMatchObject(holder);
    expect(takeHome(home, NOW + 1)).toMatchObject({ kind: "held", holder });
    if (lock.kind === "taken") lock.release();
    expect(readdirSync(home)).toEqual([]);
    expect(takeHome(home, NOW + 2).kind).toBe("taken");
  });

  test("of a process that has ended is taken over, and nothing is left behind", () => {
    const home = makeHome();
    takeHome(home, NOW);
    leave(homeLockFile(home), ended("a"));
    expect(homeHolder(home)).toBeNull();
    expect(takeHome(home, NOW).kind).toBe("taken");
    expect(homeHolder(home)?.pid).toBe(process.pid);
    expect(readdirSync(home)).toEqual(["gateway.lock"]);
  });

  test("is taken over where those ended too that were about to, one after the other", () => {
    const home = makeHome();
    takeHome(home, NOW);
    const [first, second, third] = [ended("a"), ended("b"), ended("c")];
    const path = homeLockFile(home);
    leave(path, first);
    leave(successionFile(path, first), second);
    leave(successionFile(successionFile(path, first), second), third);
    expect(takeHome(home, NOW).kind).toBe("taken");
    expect(readdirSync(home)).toEqual(["gateway.lock"]);
  });

  test("is left to a living process that is about to take it over", () => {
    const home = makeHome();
    takeHome(home, NOW);
    const path = homeLockFile(home);
    const living = JSON.parse(readFileSync(path, "utf8")) as LockHolder;
    const first = ended("a");
    leave(path, first);
    leave(successionFile(path, first), living);
    expect(takeHome(home, NOW)).toEqual({ kind: "held", holder: living });
    expect(JSON.parse(readFileSync(path, "utf8"))).toEqual(first);
  });

  test("of another machine is never taken", () => {
    const home = makeHome();
    takeHome(home, NOW);
    const elsewhere = { owner: "elsewhere.invalid 1 1 a", pid: 1, host: "elsewhere.invalid", since: SINCE };
    leave(homeLockFile(home), elsewhere);
    expect(takeHome(home, NOW)).toEqual({ kind: "held", holder: elsewhere });
  });

  test("is not released where it has become another's", () => {
    const home = makeHome();
    const lock = takeHome(home, NOW);
    rmSync(homeLockFile(home));
    takeHome(home, NOW + 1);
    if (lock.kind === "taken") lock.release();
    expect(homeHolder(home)?.since).toBe(new Date(NOW + 1).toISOString());
  });

  test.each(["", "{}", "null", "[1]", '{"owner":1,"pid":2}'])(
    "that is unreadable (%j) is refused, not taken",
    (text) => {
      const home = makeHome();
      takeHome(home, NOW);
      writeFileSync(homeLockFile(home), text);
      for (const look of [() => takeHome(home, NOW), () => homeHolder(home)]) {
        expect(look).toThrow(expect.objectContaining({ code: "lock_unreadable" }));
      }
      expect(readFileSync(homeLockFile(home), "utf8")).toBe(text);
    },
  );
});
