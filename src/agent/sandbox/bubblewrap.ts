/**
 * The command line of bubblewrap for a layout. Pure. What holds inside:
 * - the root is an empty, read-only file system; only what the layout names is in it;
 * - processes, IPC, host name, users and control groups are the command's own, and so is the network if it is off;
 * - no capability, no new privileges, no further namespaces; another session than ours, so no terminal to type into;
 * - /proc is fresh and read-only: for root, whom the kernel knows by its number, its settings would be writable;
 * - all of it ends when the command does, or when we do.
 */

export interface Mount {
  readonly kind: "read-only" | "writable" | "empty" | "link";
  readonly path: string;
  /** What is shown there: for a link its target; for an empty folder nothing. */
  readonly from: string;
}

export interface Layout {
  /** In any order: what lies deeper is mounted later, and of two at one place the later one counts. */
  readonly mounts: readonly Mount[];
  /** Folders in a writable one that must keep their names, since something hidden lies below them. */
  readonly pinned: readonly string[];
  readonly hidden: readonly { readonly kind: "file" | "folder"; readonly path: string }[];
  readonly network: boolean;
  /** Whether the user is root, who owns more than others: commands take themselves for nobody. */
  readonly isRoot: boolean;
  /** Whether this bubblewrap is 0.8 or later. */
  readonly isModern: boolean;
}

/** The most that an empty folder takes of the memory, in bytes. */
const LARGEST_EMPTY = 2 ** 30;
const NOBODY = "65534";

export function bubblewrapArgs(layout: Layout, cwd: string): string[] {
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
        ? ["--ro-bind", "/dev/null", path] // Not as a device: it cannot even be opened.
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

/** Descriptors that were left open to us lead out, as folders do: none but output and the one for bubblewrap goes in. */
const CLOSE = `for f in /proc/self/fd/*; do
  case "\${f##*/}" in [0-3]) ;; *) eval "exec \${f##*/}>&-" ;; esac
done
`;

/**
 * Root owns the devices that bubblewrap shows, and may change their modes for the whole machine. So they are made
 * read-only first, in a copy of the mounts that only this command has. The programs are those of the system: in PATH may
 * be folders that a command has changed.
 */
const SAFE_DEVICES = `m() { PATH=/usr/bin:/bin:/run/current-system/sw/bin command mount "$@"; }
for d in null zero full random urandom tty; do
  m --bind "/dev/$d" "/dev/$d" && m -o remount,bind,ro "/dev/$d" || exit 1
done
`;

/** What is run around bubblewrap: `words` are its command line, `unshare` is that program for root and null for others. */
export function startedSafely(words: readonly string[], shell: string, unshare: string | null): string[] {
  const script = `${unshare === null ? "" : SAFE_DEVICES}${CLOSE}exec "$@" </dev/null`;
  const alone = unshare === null ? [] : [unshare, "--mount", "--propagation", "private"];
  return [...alone, shell, "-c", script, "sh", ...words];
}

function depth(path: string): number {
  return path.split("/").filter(Boolean).length;
}
