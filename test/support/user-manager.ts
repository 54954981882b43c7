/**
 * A real `systemd --user` of root, in namespaces of its own: processes, mounts and control groups, so that it sees and ends
 * nothing else of this machine. The network is the machine's. Needs root on Linux with a unified control group somewhere.
 */
import { execFile, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync } from "node:fs";
import { join } from "node:path";
import { vi } from "vitest";

const SYSTEMD = "/usr/lib/systemd/systemd";
const RUNTIME = "/run/user/0";
/** As on a machine that systemd has booted: a manager is a service of the system's, and a login is a scope. */
const MANAGER = "user.slice/user-0.slice/user@0.service";
const LOGIN = "user.slice/user-0.slice/session-1.scope";

/** The first process in the namespaces: it makes the world as systemd wants it, and runs the manager in its group. */
const WORLD = `set -e
mount --make-rprivate /
umount -R /sys/fs/cgroup 2>/dev/null || true
mount -t cgroup2 none /sys/fs/cgroup
mount -t tmpfs tmpfs /run
mkdir -p /run/systemd/system ${RUNTIME} /sys/fs/cgroup/${MANAGER} /sys/fs/cgroup/${LOGIN}
chmod 700 ${RUNTIME}
(echo 0 > /sys/fs/cgroup/${MANAGER}/cgroup.procs; exec env -i PATH="$PATH" HOME="$1" XDG_RUNTIME_DIR=${RUNTIME} ${SYSTEMD} --user) &
wait`;

/** Why there can be none here; null if there can. */
export function noUserManager(): string | null {
  if (process.platform !== "linux") return "this is not Linux";
  if (process.getuid?.() !== 0) return "this is not root";
  if (unifiedGroup() === null) return "there is no unified control group";
  const missing = [SYSTEMD, "/usr/bin/systemd-run", "/usr/bin/systemctl"].find((file) => !existsSync(file));
  if (missing !== undefined) return `${missing} is not installed`;
  const tried = spawnSync("unshare", ["--cgroup", "--mount", "--pid", "--fork", "--mount-proc", "true"]);
  return tried.status === 0 ? null : "namespaces cannot be made";
}

function unifiedGroup(): string | null {
  const [, path] = /^\S+ (\S+) cgroup2 rw/m.exec(readFileSync("/proc/mounts", "utf8")) ?? [];
  return path ?? null;
}

export type UserManager = Awaited<ReturnType<typeof userManager>>;

/** `home` is the home folder of its user, with the units in `.config/systemd/user`. */
export async function userManager(home: string) {
  const group = join(unifiedGroup() ?? "", `baton-test-${process.pid}`);
  mkdirSync(group);
  const namespaces = ["--cgroup", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"];
  const enter = `echo $$ > '${group}/cgroup.procs'; exec unshare "$@"`;
  const world = spawn("sh", ["-c", enter, "sh", ...namespaces, "sh", "-c", WORLD, "sh", home], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  const first = await vi.waitUntil(() => childOf(world.pid), { timeout: 30_000 });
  const run = (words: readonly string[], env: Readonly<Record<string, string>> = {}) =>
    inside(first, home, words, env);
  await vi.waitUntil(
    async () => /running|degraded/.test((await run(["systemctl", "--user", "is-system-running"])).stdout),
    { timeout: 60_000, interval: 100 },
  );
  return {
    run,
    close: async (): Promise<void> => {
      world.kill("SIGKILL"); // With it goes the first process, and with that one everything in its namespace.
      if (world.exitCode === null && world.signalCode === null) await once(world, "exit");
      await vi.waitUntil(() => isRemoved(group), { timeout: 30_000, interval: 50 });
    },
  };
}

function childOf(pid: number | undefined): number | null {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ");
  return Number(children[0]) || null;
}

/** As somebody who has logged in there. */
function inside(
  first: number,
  home: string,
  words: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<{ code: number; stdout: string; stderr: string }> {
  const login = `echo $$ > /sys/fs/cgroup/${LOGIN}/cgroup.procs; exec "$@"`;
  const args = [
    "--target",
    `${first}`,
    "--mount",
    "--pid",
    "--cgroup",
    "/bin/sh",
    "-c",
    login,
    "sh",
    ...words,
  ];
  const known = { PATH: process.env.PATH ?? "", HOME: home, TZ: "UTC", XDG_RUNTIME_DIR: RUNTIME };
  return new Promise((resolve) => {
    execFile("/usr/bin/nsenter", args, { env: { ...known, ...env } }, (error, stdout, stderr) => {
      resolve({ code: error ? Number(error.code) : 0, stdout, stderr });
    });
  });
}

/** Groups are removed from the innermost on; one with processes in it cannot be. */
function isRemoved(group: string): boolean {
  if (!existsSync(group)) return true;
  const inner = readdirSync(group, { withFileTypes: true, recursive: true }).filter((one) =>
    one.isDirectory(),
  );
  const folders = inner.map(({ parentPath, name }) => join(parentPath, name));
  try {
    for (const folder of [...folders.sort((a, b) => b.length - a.length), group]) rmdirSync(folder);
    return true;
  } catch {
    return false; // What was killed is not gone yet.
  }
}
