/**
 * The command line of bubblewrap for a layout. Pure. What holds inside:
 * - the root is an empty, read-only file system that contains only what the layout names;
 * - the command has its own processes, IPC, host name, users and control groups, and its own network if the network is
 *   off;
 * - no capabilities, no new privileges, no further namespaces, and no terminal to type into but a PTY of its own:
 *   without one it has its own session;
 * - /proc is fresh and read-only: for root, whom the kernel knows by its number, its settings would be writable;
 * - everything ends when the command ends; in the foreground also when we do.
 */
import type { LaunchMode } from "../../util/command-environment.js";
import { asOwnJob, waitedFor } from "../../util/own-job.js";
import { isWithin } from "../../util/within.js";

export interface Mount {
  readonly kind: "read-only" | "writable" | "empty" | "link";
  readonly path: string;
  /** What is shown there: for a link its target; for an empty folder nothing. */
  readonly from: string;
}

export interface SandboxLayout {
  /** In any order: deeper paths are mounted later, and if two have the same path, the later one counts. */
  readonly mounts: readonly Mount[];
  /** Folders in a writable folder that must keep their names, because something below them is hidden. */
  readonly pinned: readonly string[];
  readonly hidden: readonly { readonly kind: "file" | "folder"; readonly path: string }[];
  /** Folders inside hidden ones that can be read all the same. */
  readonly given: readonly string[];
  readonly network: boolean;
  /** True if the user is root: then commands see themselves as nobody, because root owns more than others. */
  readonly isRoot: boolean;
  /** Whether this bubblewrap is 0.8 or later. */
  readonly isModern: boolean;
}

/** The most memory that an empty folder may use, in bytes. */
const LARGEST_EMPTY = 2 ** 30;
const NOBODY = "65534";

const FOR_MODE: Readonly<Record<LaunchMode, readonly string[]>> = {
  foreground: ["--die-with-parent", "--new-session"],
  background: ["--as-pid-1", "--new-session"],
  terminal: ["--as-pid-1"],
};

export function bubblewrapArgs(
  layout: SandboxLayout,
  cwd: string,
  mode: LaunchMode = "foreground",
): string[] {
  const { network, isRoot, isModern, pinned, hidden, given } = layout;
  const mounts = [...layout.mounts].sort((a, b) => depth(a.path) - depth(b.path));
  return [
    ...["--unshare-user", "--unshare-ipc", "--unshare-pid", "--unshare-uts", "--unshare-cgroup-try"],
    ...(network ? [] : ["--unshare-net"]),
    ...(isModern ? ["--disable-userns"] : []),
    ...FOR_MODE[mode],
    ...["--cap-drop", "ALL"],
    ...(isRoot ? ["--uid", NOBODY, "--gid", NOBODY] : []),
    ...mounts.filter(({ path }) => path === "/").flatMap((mount) => mountArgs(mount, isModern)),
    ...["--proc", "/proc", "--remount-ro", "/proc", "--dev", "/dev"],
    ...mounts.filter(({ path }) => path !== "/").flatMap((mount) => mountArgs(mount, isModern)),
    ...pinned.flatMap((path) => ["--bind", path, path]),
    ...hidden.flatMap(({ kind, path }) =>
      kind === "file"
        ? ["--ro-bind", "/dev/null", path] // Not as a device: it can't even be opened.
        : ["--tmpfs", path, ...givenIn(path, given), "--remount-ro", path],
    ),
    ...(mounts.some(({ path }) => path === "/") ? [] : ["--remount-ro", "/"]),
    ...["--chdir", cwd],
  ];
}

/** Before the hidden folder is read-only: afterwards nothing can be made in it to mount them on. */
function givenIn(hidden: string, given: readonly string[]): string[] {
  return given.filter((path) => isWithin(hidden, path)).flatMap((path) => ["--ro-bind", path, path]);
}

function mountArgs({ kind, path, from }: Mount, isModern: boolean): string[] {
  switch (kind) {
    case "read-only":
      return ["--ro-bind", from, path];
    case "writable":
      return ["--bind", from, path];
    case "link":
      return ["--symlink", from, path];
    case "empty":
      return isModern ? ["--size", String(LARGEST_EMPTY), "--tmpfs", path] : ["--tmpfs", path];
    default:
      return kind satisfies never;
  }
}

/** Open descriptors lead out of the sandbox, as folders do: only these are passed on. */
function closeAllBut(last: number): string {
  return `for f in /proc/self/fd/*; do
  case "\${f##*/}" in [0-${last}]) ;; *) eval "exec \${f##*/}>&-" ;; esac
done
`;
}

/**
 * Root owns the devices that bubblewrap shows, and could change their modes for the whole machine. So they are made
 * read-only first, in a copy of the mounts that only this command has. It uses the system's programs: PATH may contain
 * folders that a command has changed.
 */
const SAFE_DEVICES = `m() { PATH=/usr/bin:/bin:/run/current-system/sw/bin command mount "$@"; }
for d in null zero full random urandom tty; do
  m --bind "/dev/$d" "/dev/$d" && m -o remount,bind,ro "/dev/$d" || exit 1
done
`;

/**
 * What starts bubblewrap in this mode: in the foreground it gets no input, and descriptor 3 is bubblewrap's. On a PTY,
 * Ctrl-C means nothing until the command has the terminal: it would end bubblewrap alone.
 */
const START: Readonly<Record<LaunchMode, string>> = {
  foreground: `${closeAllBut(3)}exec "$@" </dev/null`,
  background: `${closeAllBut(2)}exec "$@"`,
  terminal: `${closeAllBut(2)}stty -isig 2>/dev/null; exec "$@"`,
};

/**
 * The command to start around bubblewrap: `words` are its command line; `unshare` is that program for root, and null
 * for others.
 */
export function startedSafely(
  words: readonly string[],
  shell: string,
  unshare: string | null,
  mode: LaunchMode = "foreground",
): string[] {
  const script = `${unshare === null ? "" : SAFE_DEVICES}${START[mode]}`;
  const alone = unshare === null ? [] : [unshare, "--mount", "--propagation", "private"];
  return [...alone, shell, "-c", script, "sh", ...words];
}

/**
 * What runs inside. Bubblewrap's own first process would live on with all that a command left; a shell in its place
 * ends with the command, and the kernel ends the rest.
 */
export function firstProcess(
  command: readonly [string, ...string[]],
  shell: string,
  mode: LaunchMode,
): readonly string[] {
  switch (mode) {
    case "foreground":
      return command;
    case "background":
      return [shell, "-c", `${waitedFor('"$@"')}; exit "$code"`, "sh", ...command];
    case "terminal":
      return [
        shell,
        "-m",
        "-c",
        `stty isig 2>/dev/null; ${asOwnJob('"$@"')}; exit "$code"`,
        "sh",
        ...command,
      ];
    default:
      return mode satisfies never;
  }
}

function depth(path: string): number {
  return path.split("/").filter(Boolean).length;
}
