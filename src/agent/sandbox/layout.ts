/**
 * What a sandbox shows of this machine: the system's programs and settings to read, the working folders to change, and
 * nothing else. What holds:
 * - a folder that lies in another one is not looked up again: whoever may write in the outer one could have made it a link
 *   to anywhere;
 * - in /etc only what every user may read is seen, and for root also in /opt, /usr/local and programs elsewhere;
 * - what is hidden stays hidden if a working folder contains it, and the folders above it cannot be renamed from within.
 */
import { lstatSync, readlinkSync, type Stats } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { isWithin } from "../../util/within.js";
import type { Layout, Mount } from "./bubblewrap.js";
import { coverOf, hiddenOf, outermost } from "./hidden.js";
import { isFolder, realPath } from "./real-path.js";
import type { Walls } from "./sandbox.js";
import { Unreadable } from "./unreadable.js";

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

const unreadable = new Unreadable();

/** Asked anew for each command: what is not there any more could not be hidden, and what is new would not be. */
export function lookAround(walls: Walls, folders: readonly string[], isRoot: boolean): Surroundings {
  const isWork = (path: string) => folders.some((folder) => isWithin(folder, path));
  // Others than root cannot read there what is not for everybody, unless it is their own.
  const more = isRoot ? ["/opt", "/usr/local", ...programFolders(walls)] : [];
  const secret = [
    ...unreadable.in(["/etc"]),
    ...unreadable.in(more.filter((path) => !isWork(path))).filter(({ path }) => !isWork(path)),
  ];
  return { system: [...SYSTEM.flatMap(systemMount), ...resolverMount()], secret };
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
  const hidden = outermost([
    ...secret.filter(({ path }) => !hasWithin(path)),
    ...hiddenOf(walls, [...folders, ...seen]).filter(({ path }) => coverOf([...folders, ...seen], path)),
  ]);
  return {
    mounts,
    pinned: [...new Set(hidden.flatMap(({ path }) => between(folders, path)))].sort(),
    hidden,
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

/** The folders between one of `folders` and what lies deeper in it, outermost first. */
function between(folders: readonly string[], path: string): string[] {
  const folder = folders.find((one) => isWithin(one, path));
  const found: string[] = [];
  if (folder === undefined) return found;
  for (let at = dirname(path); at !== folder && isWithin(folder, at); at = dirname(at)) found.unshift(at);
  return found;
}

function lstatOf(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false });
}
