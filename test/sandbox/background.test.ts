/** The wall around commands that outlive their starter, with pipes and on a PTY. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type IPty, spawn as spawnPty } from "@lydell/node-pty";
import { describe, expect, it, vi } from "vitest";
import { openSandbox } from "../../src/agent/sandbox/open-sandbox.js";
import type { Sandbox } from "../../src/agent/sandbox/sandbox.js";
import { launchHere } from "../../src/agent/tools/command-launch.js";
import type { LaunchMode } from "../../src/util/command-environment.js";
import { FAMILIES } from "./commands.js";
import { script } from "./script.js";
import { makeWorld, type World } from "./world.js";

const PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
const PATIENCE = { timeout: 30_000 };

interface InWorld extends World {
  readonly sandbox: Sandbox;
  /** Every process that was started here is given up at the end. */
  readonly started: (ChildProcess | IPty)[];
  /** For their output. */
  readonly outputs: string;
}

async function inWorld(work: (world: InWorld) => Promise<void>): Promise<void> {
  const world = await makeWorld();
  const started: InWorld["started"] = [];
  const outputs = mkdtempSync(join(tmpdir(), "baton-outputs-"));
  try {
    await work({ ...world, sandbox: (await sandboxAround(world)).sandbox as Sandbox, started, outputs });
  } finally {
    for (const { pid } of started) if (pid !== undefined && pid > 0) endTree(pid);
    await world.close();
    rmSync(outputs, { recursive: true, force: true });
  }
}

function sandboxAround({ home, work, own, inner, temporary }: World) {
  const hidden = [own, inner, `${work}/store.db`];
  return openSandbox({ folders: [work], hidden, home, path: PATH, temporary, network: false });
}

const tried =
  process.platform === "linux"
    ? await makeWorld().then((world) => sandboxAround(world).finally(() => world.close()))
    : null;
const isThere = tried?.sandbox != null;
if (!isThere) console.warn("NOT TESTED: background commands in a sandbox, because there is none here");

function launch(command: string, { sandbox, work, home }: InWorld, mode: LaunchMode) {
  const environment = { PATH, HOME: home, LANG: "C" };
  return launchHere(command, { path: work, way: work, environment, sandbox }, mode);
}

interface Piped {
  readonly child: ChildProcess;
  readonly exit: Promise<[number | null, NodeJS.Signals | null]>;
  output(): string;
}

/** With one file for its output, as the process host gives it. */
function start(command: string, world: InWorld): Piped {
  const { file, args, environment, cwd } = launch(command, world, "background");
  const path = join(world.outputs, `output-${world.started.length}`);
  const output = openSync(path, "a", 0o600);
  const child = spawn(file, args, {
    cwd,
    env: { ...environment },
    detached: true,
    stdio: ["pipe", output, output],
  });
  closeSync(output);
  world.started.push(child);
  return { child, exit: once(child, "close") as Piped["exit"], output: () => readFileSync(path, "utf8") };
}

function startOnPty(command: string, world: InWorld) {
  const { file, args, environment, cwd } = launch(command, world, "terminal");
  const pty = spawnPty(file, [...args], { cwd, env: { ...environment }, cols: 80, rows: 24 });
  world.started.push(pty);
  let said = "";
  pty.onData((text) => {
    said += text;
  });
  const exit = new Promise<number>((resolve) => pty.onExit(({ exitCode }) => resolve(exitCode)));
  return { pty, exit, output: () => said };
}

function childOf(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ")[0]);
}

function endTree(pid: number): void {
  for (const find of [() => childOf(pid), () => pid]) {
    try {
      process.kill(find(), "SIGKILL");
    } catch {
      // It has ended.
    }
  }
}

/** The fields of /proc/<pid>/stat after the name: state, parent, group, session, terminal, its foreground group. */
function statOf(pid: number): string[] {
  return readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /s, "")
    .split(" ");
}

const isGone = (pid: number) => !existsSync(`/proc/${pid}`);
const until = (check: () => boolean) => vi.waitFor(() => expect(check()).toBe(true), PATIENCE);

describe.runIf(isThere)("a background command in the sandbox", { timeout: 300_000 }, () => {
  it("outlives the one who started it, and ends with its first process", () =>
    inWorld(async (world) => {
      const { file, args } = launch(
        "touch ready; until [ -e go ]; do sleep 0.05; done; touch went; sleep 1000; :",
        world,
        "background",
      );
      const starter = spawn("sh", ["-c", '"$@" & echo $!; wait', "sh", file, ...args], {
        stdio: ["ignore", "pipe", "ignore"],
        detached: true,
      });
      const [told] = (await once(starter.stdout, "data")) as [Buffer];
      const pid = Number(told.toString());
      world.started.push({ pid } as ChildProcess);
      await until(() => existsSync(join(world.work, "ready")));
      const ended = once(starter, "exit");
      starter.kill("SIGKILL");
      await ended;
      writeFileSync(join(world.work, "go"), "");
      await until(() => existsSync(join(world.work, "went")));
      const first = childOf(pid);
      process.kill(first, "SIGKILL");
      await until(() => isGone(pid) && isGone(first));
    }));

  it("takes input until it is closed, and gives its output at once, both streams in order, and its code", () =>
    inWorld(async (world) => {
      const { child, exit, output } = start("printf a; printf b >&2; read x; echo $x; cat; exit 7", world);
      await until(() => output() === "ab");
      child.stdin?.write("one\ntwo\n");
      await until(() => output() === "abone\ntwo\n");
      child.stdin?.end();
      expect((await exit)[0]).toBe(7);
    }));

  it("is signalled as the group of the first child, and says the signal as shells do", () =>
    inWorld(async (world) => {
      const command = "trap 'echo term; exit 9' TERM; touch ready; while :; do sleep 0.1; done";
      const { child, exit, output } = start(command, world);
      await until(() => existsSync(join(world.work, "ready")));
      process.kill(-childOf(child.pid as number), "SIGTERM");
      expect((await exit)[0]).toBe(9);
      expect(output()).toContain("term\n");
      const other = start("touch second; sleep 1000", world);
      await until(() => existsSync(join(world.work, "second")));
      process.kill(-childOf(other.child.pid as number), "SIGTERM");
      expect((await other.exit)[0]).toBe(143);
      expect(other.output()).toBe("");
    }));

  it("ends with all that it left, also what has its own session", () =>
    inWorld(async (world) => {
      const left = `setsid sleep ${world.places.mark} >/dev/null 2>&1 < /dev/null &`;
      const { exit } = start(`${left} touch ready; exit 3`, world);
      expect((await exit)[0]).toBe(3);
      expect(existsSync(join(world.work, "ready"))).toBe(true);
      await until(() => world.left().length === 0);
    }));

  it.each(["background", "terminal"] as const)("gets no descriptor but the usual three: %s", (mode) =>
    inWorld(async (world) => {
      const command = "ls /proc/self/fd > fds; ls -l /proc/1/fd > of-first; touch ready";
      const { exit } = mode === "background" ? start(command, world) : startOnPty(command, world);
      await exit;
      // `ls` itself has the folder open as 3.
      expect(readFileSync(join(world.work, "fds"), "utf8").trim().split("\n")).toEqual(["0", "1", "2", "3"]);
      expect(readFileSync(join(world.work, "of-first"), "utf8")).not.toMatch(/ -> \/(?!dev\/)(?!.*output)/);
    }),
  );

  const secrets = FAMILIES.filter(({ name }) =>
    /secrets|processes outside|mounts|root and|sockets/.test(name),
  ).flatMap(({ commands }) => commands);

  it.each(["background", "terminal"] as const)("sees and changes nothing outside: %s", (mode) =>
    inWorld(async (world) => {
      const before = world.state();
      const command = script([...secrets, "echo all were run"], world);
      const run = mode === "background" ? start(command, world) : startOnPty(command, world);
      if ("child" in run) run.child.stdin?.end();
      await run.exit;
      expect(run.output()).toMatch(/all were run\s*$/);
      expect(world.leaks(run.output())).toEqual([]);
      expect(world.state()).toBe(before);
      await until(() => world.left().length === 0);
    }),
  );
});

describe.runIf(isThere)("a command on a PTY in the sandbox", { timeout: 300_000 }, () => {
  it("has its size, also the next one, and its code", () =>
    inWorld(async (world) => {
      const { pty, exit, output } = startOnPty(
        "stty size; trap 'stty size; exit 4' WINCH; touch ready; while :; do sleep 0.1; done",
        world,
      );
      await until(() => existsSync(join(world.work, "ready")) && output().includes("24 80"));
      pty.resize(100, 30);
      expect(await exit).toBe(4);
      expect(output()).toContain("30 100");
    }));

  it("alone gets Ctrl-C: what waits for it tells its code", () =>
    inWorld(async (world) => {
      const command =
        "trap 'echo interrupted' INT; touch ready; read -r x; echo \"<$x>\"; trap - INT; touch asleep; sleep 1000";
      const { pty, exit, output } = startOnPty(command, world);
      await until(() => existsSync(join(world.work, "ready")));
      pty.write("\x03");
      await until(() => output().includes("interrupted"));
      pty.write("hello\r");
      await until(() => existsSync(join(world.work, "asleep")) && output().includes("<hello>"));
      pty.write("\x03");
      expect(await exit).toBe(130);
    }));

  it("is not left stopped by Ctrl-Z", () =>
    inWorld(async (world) => {
      const { pty, exit, output } = startOnPty('touch ready; read -r x; echo "<$x>"; exit 5', world);
      await until(() => existsSync(join(world.work, "ready")));
      pty.write("\x1a");
      pty.write("on\r");
      expect(await exit).toBe(5);
      expect(output()).toContain("<on>");
    }));

  it("is the group that has the terminal; all ends with the first process", () =>
    inWorld(async (world) => {
      const command = `trap 'echo term' TERM; setsid sleep ${world.places.mark} & touch ready; while :; do sleep 0.1; done`;
      const { pty, exit, output } = startOnPty(command, world);
      await until(() => existsSync(join(world.work, "ready")));
      const foreground = Number(statOf(pty.pid)[5]);
      expect(foreground).not.toBe(pty.pid);
      process.kill(-foreground, "SIGTERM");
      await until(() => output().includes("term"));
      process.kill(childOf(pty.pid), "SIGKILL");
      expect(await exit).toBe(137);
      await until(() => world.left().length === 0);
    }));

  it("can type only into its own PTY", () =>
    inWorld(async (world) => {
      const other = startOnPty('touch other; read -r x; echo "<$x>"', world);
      await until(() => existsSync(join(world.work, "other")));
      // Every terminal that it can name; newer kernels refuse all of them.
      const code = `import fcntl, glob, os, termios
for path in ["/dev/tty", "/dev/console", *glob.glob("/dev/pts/*"), *glob.glob("/proc/*/fd/*")]:
  try:
    fd = os.open(path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
    for c in b"evil\\n": fcntl.ioctl(fd, termios.TIOCSTI, bytes([c]))
  except OSError: pass`;
      const { exit } = startOnPty(`python3 -c '${code}'; touch tried`, world);
      await exit;
      expect(existsSync(join(world.work, "tried"))).toBe(true);
      other.pty.write("good\r");
      await other.exit;
      expect(other.output()).toContain("<good>");
    }));
});
