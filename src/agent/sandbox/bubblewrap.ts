/**
 * The command line of bubblewrap for a layout. Pure. What holds inside:
 * - the root is an empty, read-only file system that contains only what the layout names;
 * - the command has its own processes, IPC, host name, users and control groups, and its own network if the network is
 *   off;
 * - no capabilities, no new privileges, no further namespaces, and its own session, so there is no terminal to type
 *   into;
 * - /proc is fresh and read-only: for root, whom the kernel knows by its number, its settings would be writable;
 * - everything ends when the command ends, or when we do.
 */

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
  readonly network: boolean;
  /** True if the user is root: then commands see themselves as nobody, because root owns more than others. */
  readonly isRoot: boolean;
  /** Whether this bubblewrap is 0.8 or later. */
  readonly isModern: boolean;
}

/** The most memory that an empty folder may use, in bytes. */
const LARGEST_EMPTY = 2 ** 30;
const NOBODY = "65534";

export function bubblewrapArgs(layout: SandboxLayout, cwd: string): string[] {
  const { network, isRoot, isModern, pinned, hidden } = layout;
  const mounts = [...layout.mounts].sort((a, b) => depth(a.path) - depth(b.path));
  return [
    ...["--unshare-user", "--unshare-ipc", "--unshare-pid", "--unshare-uts", "--unshare-cgroup-try"],
    ...(network ? [] : ["--unshare-net"]),
    ...(isModern ? ["--disable-userns"] : []),
    ...["--die-with-parent", "--new-session", "--cap-drop", "ALL"],
    ...(isRoot ? ["--uid", NOBODY, "--gid", NOBODY] : []),
    ...mounts.filter(({ path }) => path === "/").flatMap((mount) => mountArgs(mount, isModern)),
    ...["--proc", "/proc", "--remount-ro", "/proc", "--dev", "/dev"],
    ...mounts.filter(({ path }) => path !== "/").flatMap((mount) => mountArgs(mount, isModern)),
    ...pinned.flatMap((path) => ["--bind", path, path]),
    ...hidden.flatMap(({ kind, path }) =>
      kind === "file"
        ? ["--ro-bind", "/dev/null", path] // Not as a device: it can't even be opened.
        : ["--tmpfs", path, "--remount-ro", path],
    ),
    ...(mounts.some(({ path }) => path === "/") ? [] : ["--remount-ro", "/"]),
    ...["--chdir", cwd],
  ];
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

/**
 * Open descriptors lead out of the sandbox, as folders do: only the output and the one for bubblewrap are passed on.
 */
const CLOSE = `for f in /proc/self/fd/*; do
  case "\${f##*/}" in [0-3]) ;; *) eval "exec \${f##*/}>&-" ;; esac
done
`;

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
 * The command to start around bubblewrap: `words` are its command line; `unshare` is that program for root, and null
 * for others.
 */
export function startedSafely(words: readonly string[], shell: string, unshare: string | null): string[] {
  const script = `${unshare === null ? "" : SAFE_DEVICES}${CLOSE}exec "$@" </dev/null`;
  const alone = unshare === null ? [] : [unshare, "--mount", "--propagation", "private"];
  return [...alone, shell, "-c", script, "sh", ...words];
}

function depth(path: string): number {
  return path.split("/").filter(Boolean).length;
}
