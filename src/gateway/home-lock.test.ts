import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import { endedHolder } from "../../test/support/ended-holder.js";
import { type LockHolder, lockText, successionFile } from "../util/file-lock.js";
import { SILENT_MS } from "../util/life-sign.js";
import { homeHolder, homeLockFile, takeHome } from "./home-lock.js";

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
  return { process: endedHolder({ pid, id: name }), pid, host: hostname(), since: SINCE };
}

function leave(path: string, holder: LockHolder): void {
  writeFileSync(path, lockText(holder));
}

describe("the lock of a home folder", () => {
  test("is one process's, private, and names it; the next one has it after the release", () => {
    const home = makeHome();
    expect(homeHolder(home, NOW)).toBeNull();
    const lock = takeHome(home, NOW);
    expect(statSync(homeLockFile(home)).mode & 0o777).toBe(0o600);
    expect(statSync(home).mode & 0o777).toBe(0o700);
    const holder = { pid: process.pid, host: hostname(), since: SINCE };
    expect(homeHolder(home, NOW)).toMatchObject(holder);
    expect(takeHome(home, NOW + 1)).toMatchObject({ kind: "held", holder });
    if (lock.kind === "taken") lock.release();
    expect(readdirSync(home)).toEqual([]);
    expect(takeHome(home, NOW + 2).kind).toBe("taken");
  });

  test("of a process that has ended is taken over, and nothing is left behind", () => {
    const home = makeHome();
    takeHome(home, NOW);
    leave(homeLockFile(home), ended("a"));
    expect(homeHolder(home, NOW)).toBeNull();
    expect(takeHome(home, NOW).kind).toBe("taken");
    expect(homeHolder(home, NOW)?.pid).toBe(process.pid);
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
    const living = homeHolder(home, NOW) as LockHolder;
    expect(JSON.parse(readFileSync(path, "utf8"))).toHaveProperty("owner", living.process); // As older versions read it.
    const first = ended("a");
    leave(path, first);
    leave(successionFile(path, first), living);
    expect(takeHome(home, NOW)).toEqual({ kind: "held", holder: living });
    expect(readFileSync(path, "utf8")).toBe(lockText(first));
  });

  test.each([
    ["another machine", "elsewhere.invalid 1 1 a"],
    ["another container with the same host name", endedHolder({ pid: process.pid, place: "another" })],
  ])("of %s is held as long as it gives signs of life", (_, holder) => {
    const home = makeHome();
    takeHome(home, NOW);
    const elsewhere = { process: holder, pid: 1, host: "elsewhere.invalid", since: SINCE };
    const path = homeLockFile(home);
    leave(path, elsewhere);
    const signed = (at: number) => utimesSync(path, at / 1_000, at / 1_000);
    signed(NOW - SILENT_MS + 1);
    expect(homeHolder(home, NOW)).toEqual(elsewhere);
    expect(takeHome(home, NOW)).toEqual({ kind: "held", holder: elsewhere });
    signed(NOW - SILENT_MS);
    expect(homeHolder(home, NOW)).toBeNull();
    expect(takeHome(home, NOW).kind).toBe("taken");
  });

  test("shows signs of life, and tells when another has taken it", () => {
    vi.useFakeTimers({ now: NOW });
    try {
      const home = makeHome();
      const lock = takeHome(home, NOW);
      const lost = vi.fn();
      if (lock.kind === "taken") lock.keep(lost);
      const path = homeLockFile(home);
      vi.advanceTimersByTime(60_000);
      expect(statSync(path).mtimeMs).toBe(NOW + 60_000);
      leave(path, { process: "elsewhere 1 1 a", pid: 1, host: "elsewhere", since: SINCE });
      utimesSync(path, 1, 1);
      vi.advanceTimersByTime(60_000);
      expect([lost.mock.calls.length, statSync(path).mtimeMs]).toEqual([1, 1_000]); // The other's is let alone.
    } finally {
      vi.useRealTimers();
    }
  });

  test("is not released where it has become another's", () => {
    const home = makeHome();
    const lock = takeHome(home, NOW);
    rmSync(homeLockFile(home));
    takeHome(home, NOW + 1);
    if (lock.kind === "taken") lock.release();
    expect(homeHolder(home, NOW)?.since).toBe(new Date(NOW + 1).toISOString());
  });

  test.each(["", "{}", "null", "[1]", '{"owner":1,"pid":2}'])(
    "that is unreadable (%j) is refused, not taken",
    (text) => {
      const home = makeHome();
      takeHome(home, NOW);
      writeFileSync(homeLockFile(home), text);
      for (const look of [() => takeHome(home, NOW), () => homeHolder(home, NOW)]) {
        expect(look).toThrow(expect.objectContaining({ code: "lock_unreadable" }));
      }
      expect(readFileSync(homeLockFile(home), "utf8")).toBe(text);
    },
  );
});

describe("a home folder that cannot be written", () => {
  test.runIf(process.platform === "linux").each(["/proc/baton/home", "/proc/self"])(
    "%s is said in a sentence",
    (home) => {
      const refused = expect.objectContaining({
        code: "home_unusable",
        message: expect.stringMatching(new RegExp(`^Baton can't write to its home folder ${home}: .*\\.$`)),
      });
      expect(() => takeHome(home, NOW)).toThrow(refused);
    },
  );

  test("so is a disk without room", () => {
    const home = makeHome();
    const lock = new URL("./home-lock.ts", import.meta.url).href;
    const program = `
      process.on("SIGXFSZ", () => {});
      const { takeHome } = await import(${JSON.stringify(lock)});
      try { takeHome(${JSON.stringify(home)}, 0); } catch (error) { process.stdout.write(error.code + ": " + error.message); }
    `;
    const run = `ulimit -f 0; exec "$0" --import tsx --input-type=module -e "$1"`;
    const { stdout } = spawnSync("/bin/sh", ["-c", run, process.execPath, program], { encoding: "utf8" });
    expect(stdout).toMatch(
      /^home_unusable: Baton can't write to its home folder .*home: the file has reached the limit on file sizes/,
    );
    expect(readdirSync(home)).toEqual([]);
  });
});
