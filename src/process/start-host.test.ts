/** The host is started for real, by a program that says what it sees; systemd's program is one that writes down its words. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { ENDS_WITH_SERVICE_FLAG } from "./protocol.js";
import { startHost } from "./start-host.js";
import type { Surroundings } from "./surroundings.js";

const HOST = `
import { readFileSync, renameSync, writeFileSync } from "node:fs";
const [, , folder, ...words] = process.argv;
const environ = readFileSync("/proc/self/environ", "utf8").split("\\0").filter(Boolean);
const { pid } = process;
const session = Number(readFileSync("/proc/self/stat", "utf8").replace(/^.*\\) /s, "").split(" ")[3]);
writeFileSync(folder + "/new", JSON.stringify({ pid, session, words, environ, cwd: process.cwd() }));
renameSync(folder + "/new", folder + "/seen");
setInterval(() => {}, 1000);
`;

const IN_A_SERVICE: Surroundings = { kind: "service", manager: "user" };

let root: string;
let hostPid: number | null;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "baton-start-host-"));
  hostPid = null;
  mkdirSync(join(root, "bin"));
  writeFileSync(join(root, "host.mjs"), HOST);
});

afterEach(() => {
  if (hostPid !== null) process.kill(hostPid, "SIGKILL");
  rmSync(root, { recursive: true });
});

/** Puts a `systemd-run` on the PATH that writes down its words, and then does this. */
function systemdRun(then: string): void {
  const file = join(root, "bin", "systemd-run");
  writeFileSync(file, `#!/bin/sh\nfor word; do printf '%s\\n' "$word"; done > '${root}/told'\n${then}\n`);
  chmodSync(file, 0o700);
}

const RUN_IT = 'while [ "$1" != -- ]; do shift; done; shift; exec "$@"';

const environment = () => ({ PATH: join(root, "bin"), LANG: "C.UTF-8" });

async function started(surroundings: Surroundings) {
  await startHost({
    program: join(root, "host.mjs"),
    folder: root,
    environment: environment(),
    surroundings,
  });
  await vi.waitUntil(() => existsSync(join(root, "seen")), { timeout: 30_000 });
  const seen = JSON.parse(readFileSync(join(root, "seen"), "utf8"));
  hostPid = seen.pid;
  return seen;
}

/** Of all processes. */
function commandLines(): string[] {
  return readdirSync("/proc").flatMap((name) => {
    try {
      return /^\d+$/.test(name) ? [readFileSync(`/proc/${name}/cmdline`, "utf8")] : [];
    } catch {
      return []; // It has ended meanwhile.
    }
  });
}

const told = () => readFileSync(join(root, "told"), "utf8").trimEnd().split("\n");

describe.runIf(process.platform === "linux")("the process host", () => {
  test("leads a session of its own, in no folder of ours, and sees only what it is given", async () => {
    systemdRun(RUN_IT);
    const seen = await started({ kind: "free" });
    expect(seen).toMatchObject({ session: seen.pid, cwd: "/", words: [] });
    const ofTheShell = /^(?:PWD|SHLVL|_)=/;
    expect(seen.environ.filter((variable: string) => !ofTheShell.test(variable)).sort()).toEqual([
      "LANG=C.UTF-8",
      `PATH=${join(root, "bin")}`,
    ]);
    expect(existsSync(join(root, "told"))).toBe(false);
  });

  test.each([
    ["user", ["--user"]],
    ["system", []],
  ] as const)("gets a scope of the %s's manager if this is a service", async (manager, words) => {
    systemdRun(RUN_IT);
    const seen = await started({ kind: "service", manager });
    expect(told()).toEqual([
      ...words,
      "--scope",
      "--collect",
      "--quiet",
      expect.stringMatching(/^--unit=baton-processes-[0-9a-f]{8}-[0-9a-f]{8}$/),
      "--property=Delegate=yes",
      "--",
      process.execPath,
      join(root, "host.mjs"),
      root,
    ]);
    expect(seen).toMatchObject({ session: seen.pid, cwd: "/", words: [] });
    const known = /^(?:PATH|LANG|PWD|OLDPWD|_|SHLVL|XDG_RUNTIME_DIR)=/; // The shell of the stand-in adds some.
    expect(seen.environ.filter((variable: string) => !known.test(variable))).toEqual([]);
  });

  test("has another scope each time: one that was killed may have left processes in the old one", async () => {
    systemdRun(RUN_IT);
    const units = [];
    for (let time = 0; time < 2; time++) {
      const { pid } = await started(IN_A_SERVICE);
      units.push(told().find((word) => word.startsWith("--unit=")));
      process.kill(pid, "SIGKILL");
      hostPid = null;
      rmSync(join(root, "seen"));
    }
    expect(units[0]).not.toBe(units[1]);
    expect(units[0]?.slice(0, -8)).toBe(units[1]?.slice(0, -8));
  });

  test.each([
    ["systemd-run is not installed", null],
    ["systemd-run cannot be started", "#!/nonexistent"],
    ["there is no manager", "exit 1"],
    ["systemd-run is killed", "kill -9 $$"],
  ])("knows that it ends with the service if %s", async (_, then) => {
    if (then !== null) systemdRun(then);
    if (then?.startsWith("#!")) writeFileSync(join(root, "bin", "systemd-run"), then, { mode: 0o700 });
    expect(await started(IN_A_SERVICE)).toMatchObject({ cwd: "/", words: [ENDS_WITH_SERVICE_FLAG] });
  });

  test("knows that it ends with its container", async () => {
    systemdRun(RUN_IT);
    expect(await started({ kind: "container" })).toMatchObject({ words: [ENDS_WITH_SERVICE_FLAG] });
    expect(existsSync(join(root, "told"))).toBe(false);
  });

  test("that finds another one ends at once, and is not started again", async () => {
    systemdRun("exit 0");
    const start = { program: join(root, "host.mjs"), folder: root, environment: environment() };
    await startHost({ ...start, surroundings: IN_A_SERVICE });
    expect(commandLines().filter((line) => line.includes(start.program))).toEqual([]);
  });
});
