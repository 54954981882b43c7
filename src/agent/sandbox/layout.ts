/**
 * What a sandbox shows of this machine: the system's programs and settings to read, the working folders to change, and
 * nothing else. What holds:
 * - a folder that lies in another one is not looked up again: whoever may write in the outer one could have made it a link
 *   to anywhere;
 * - in /etc only what every user may read is seen, also by root;
 * - what is hidden stays hidden if a working folder contains it, and the folders above it cannot be renamed from within.
 */
import {
  type Dirent,
  lstatSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  type Stats,
  statSync,
} from "node:fs";
import { dirname, join, normalize } from "node:path";
import { isWithin } from "../../util/within.js";
import type { Layout, Mount } from "./bubblewrap.js";
import { KEY_PLACES } from "./key-places.js";
import type { Walls } from "./sandbox.js";

/** Programs, their libraries and the system's settings. Which of them are links differs. */
const SYSTEM = [
  ..."/usr /bin /sbin /lib /lib32 /lib64 /libx32 /etc /opt /nix/store /gnu/store".split(" "),
  ..."/run/current-system /var/lib/ca-certificates".split(" "),
];

export interface Surroundings {
  readonly system: readonly Mount[];
  /** What is in it that not every user may read. */
  readonly secret: Layout["hidden"];
}

/** Asked anew for each command: what is not there any more could not be hidden, and what is new would not be. */
export function lookAround(): Surroundings {
  return { system: [...SYSTEM.flatMap(systemMount), ...resolverMount()], secret: unreadableIn("/etc") };
}

/** The folders as they really are, without those that lie in another: by their names, wherever they lead. */
export function realFolders(folders: readonly string[]): string[] {
  const outer = folders.filter(
    (folder) => !folders.some((other) => normalize(other) !== normalize(folder) && isWithin(other, folder)),
  );
  const real = [...new Set(outer.flatMap((folder) => realPath(folder) ?? []))];
  return real.filter((folder) => !real.some((other) => other !== folder && isWithin(other, folder)));
}

/** `folders` as `realFolders` gave them. */
export function layoutOf(
  walls: Walls,
  folders: readonly string[],
  { system, secret }: Surroundings,
): Omit<Layout, "isRoot" | "isModern"> {
  const hasWithin = (path: string) => folders.some((folder) => isWithin(path, folder));
  const isShown = (path: string) => folders.some((folder) => isWithin(folder, path));
  const programs = programFolders(walls).filter((path) => !isShown(path));
  const mounts: Mount[] = [
    ...system,
    // What is mounted below it must not depend on links that a command left there.
    hasWithin("/tmp") ? empty("/tmp") : { kind: "writable", path: "/tmp", from: walls.temporary },
    { kind: "link", path: "/var/tmp", from: "/tmp" },
    { kind: "link", path: "/var/run", from: "/run" },
    empty("/run/lock"),
    ...(walls.home === "/" || isShown(walls.home) ? [] : [empty(walls.home)]),
    ...programs.map((path): Mount => ({ kind: "read-only", path, from: path })),
    ...folders.map((path): Mount => ({ kind: "writable", path, from: path })),
  ];
  const seen = [...system.filter(({ kind }) => kind === "read-only").map(({ path }) => path), ...programs];
  const hidden = hiddenOf(walls).filter(
    ({ path }) => isShown(path) || seen.some((shown) => isWithin(shown, path)),
  );
  return {
    mounts,
    pinned: [...new Set(hidden.flatMap(({ path }) => between(folders, path)))].sort(),
    hidden: [...secret.filter(({ path }) => !hasWithin(path)), ...hidden],
    network: walls.network,
  };
}

function empty(path: string): Mount {
  return { kind: "empty", path, from: "" };
}

function systemMount(path: string): Mount[] {
  const stats = lstatOf(path);
  if (stats?.isSymbolicLink()) return [{ kind: "link", path, from: readlinkSync(path) }];
  return stats?.isDirectory() ? [{ kind: "read-only", path, from: path }] : [];
}

/** The list of name servers is often a link to where sockets lie too: that file alone is shown. */
function resolverMount(): Mount[] {
  const real = realPath("/etc/resolv.conf");
  return real?.startsWith("/run/") ? [{ kind: "read-only", path: real, from: real }] : [];
}

export function unreadableIn(folder: string): Layout["hidden"] {
  return entriesOf(folder).flatMap((entry): Layout["hidden"] => {
    const path = join(folder, entry.name);
    const mode = entry.isSymbolicLink() ? 0o777 : (lstatOf(path)?.mode ?? 0o777); // Gone meanwhile: nothing to hide.
    if (entry.isDirectory())
      return (mode & 0o005) === 0o005 ? unreadableIn(path) : [{ kind: "folder", path }];
    return mode & 0o004 ? [] : [{ kind: "file", path }];
  });
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if (OUT_OF_REACH.includes((error as NodeJS.ErrnoException).code ?? "")) return [];
    throw error;
  }
}

/** Programs that somebody installed elsewhere, and their libraries: Node.js or Python in the home folder, for example. */
export function programFolders({ path, home }: Walls): string[] {
  const folders = path.split(":").filter((folder) => folder.startsWith("/") && !isWithin(folder, home));
  const withLibraries = folders.flatMap((folder) =>
    folder.endsWith("/bin") && dirname(folder) !== home ? [folder, join(dirname(folder), "lib")] : [folder],
  );
  return [...new Set(withLibraries.map((folder) => normalize(folder).replace(/(?<=.)\/$/, "")))].filter(
    (folder) => !SYSTEM.some((shown) => isWithin(shown, folder)) && isFolder(folder),
  );
}

export function hiddenOf({ hidden, home }: Walls): Layout["hidden"] {
  const places = [...hidden, ...KEY_PLACES.map((place) => join(home, place))];
  const real = new Set(places.flatMap((place) => realPath(place) ?? []));
  return [...real].map((path) => ({ kind: isFolder(path) ? "folder" : "file", path }));
}

/** The folders between one of `folders` and what lies deeper in it, outermost first. */
function between(folders: readonly string[], path: string): string[] {
  const folder = folders.find((one) => isWithin(one, path));
  const found: string[] = [];
  if (folder === undefined) return found;
  for (let at = dirname(path); at !== folder && isWithin(folder, at); at = dirname(at)) found.unshift(at);
  return found;
}

function isFolder(path: string): boolean {
  const real = realPath(path);
  return real !== null && statSync(real).isDirectory();
}

function lstatOf(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false });
}

/** What we cannot get to, a command cannot either. */
const OUT_OF_REACH = ["ENOENT", "ENOTDIR", "EACCES", "ELOOP"];

/** Null if nothing is there for us. */
export function realPath(path: string): string | null {
  try {
    return realpathSync(path);
  } catch (error) {
    if (OUT_OF_REACH.includes((error as NodeJS.ErrnoException).code ?? "")) return null;
    throw error;
  }
}
