/**
 * A real container engine with a store of its own, and an image that has nothing but busybox. It needs no registry and
 * no network.
 */
import { execFileSync, spawnSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface Engine {
  /** A program that takes the commands of docker. */
  readonly program: string;
  readonly image: string;
  readonly variables: Readonly<Record<string, string>>;
  /** What it prints. */
  run(...args: string[]): string;
  close(): void;
}

const IMAGE = "localhost/baton-test:latest";

/** The engine, or why there is none. */
export function openPodman(): Engine | string {
  if (process.getuid?.() !== 0) return "podman is tested as root only";
  for (const program of ["/usr/bin/podman", "/bin/busybox"]) {
    if (!existsSync(program)) return `${program} is not installed`;
  }
  const folder = mkdtempSync(join(tmpdir(), "baton-podman-"));
  const at = (...names: string[]) => join(folder, ...names);
  const program = at("podman");
  const variables = {
    PATH: "/usr/sbin:/usr/bin:/sbin:/bin",
    HOME: folder,
    CONTAINERS_CONF: at("containers.conf"),
  };
  const options = `--root ${at("store")} --runroot ${at("run")} --storage-driver vfs --cgroup-manager cgroupfs --events-backend file`;
  // Where crun takes these control groups, it need not be runc; where it does not, runc often does.
  const runtime = existsSync("/usr/sbin/runc") || existsSync("/usr/bin/runc") ? "--runtime runc" : "";
  writeFileSync(program, `#!/bin/sh\nexec /usr/bin/podman ${options} ${runtime} "$@"\n`);
  chmodSync(program, 0o755);
  writeFileSync(
    at("containers.conf"),
    '[containers]\ndefault_ulimits = ["nofile=1024:1024", "nproc=4096:4096"]\n',
  );
  const run = (...args: string[]) =>
    execFileSync(program, args, {
      env: variables,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
    }).trim();
  const close = () => {
    spawnSync(program, ["rm", "-af", "-t", "0"], { env: variables });
    endAllOf(folder); // Each container has a process that cleans up after it, which may still write there.
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    makeRoot(at("root"));
    execFileSync("tar", ["-C", at("root"), "-cf", at("root.tar"), "."]);
    run("import", at("root.tar"), IMAGE);
    run("run", "--rm", "--network", "none", "--memory", "64m", IMAGE, "/bin/true");
  } catch (error) {
    close();
    return `podman does not work here: ${String((error as { stderr?: unknown }).stderr ?? error).trim()}`;
  }
  return { program, image: IMAGE, variables, run, close };
}

/** Ends the processes that name the folder in their arguments, and waits until they are gone. */
function endAllOf(folder: string): void {
  const turn = new Int32Array(new SharedArrayBuffer(4));
  for (let pids = namingIt(folder); pids.length > 0; pids = namingIt(folder)) {
    for (const pid of pids) endIfThere(pid);
    Atomics.wait(turn, 0, 0, 10);
  }
}

function namingIt(folder: string): number[] {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return pids.filter((pid) => argumentsOf(pid).includes(folder)).map(Number);
}

/** Nothing if it has ended. */
function argumentsOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return "";
  }
}

function endIfThere(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

/** A root folder with busybox and its names. */
export function makeRoot(root: string): void {
  for (const folder of ["bin", "tmp", "proc", "dev", "etc"])
    mkdirSync(join(root, folder), { recursive: true });
  chmodSync(join(root, "tmp"), 0o1777);
  copyFileSync("/bin/busybox", join(root, "bin", "busybox"));
  chmodSync(join(root, "bin", "busybox"), 0o755);
  const names = execFileSync("/bin/busybox", ["--list"], { encoding: "utf8" }).split("\n").filter(Boolean);
  for (const name of names) {
    if (name !== "busybox") symlinkSync("busybox", join(root, "bin", name));
  }
}
