/**
 * What a sandbox shows of this machine: the system's programs and settings to read, the working folders to change, and
 * nothing else. What holds:
 * - a folder inside another one is not resolved again: somebody who may write in the outer one could have made it a
 *   link to anywhere;
 * - of /etc only what every user may read is visible; for root, the same holds for /opt, /usr/local and programs
 *   elsewhere;
 * - hidden files stay hidden inside a working folder, and the folders above them can't be renamed from inside.
 */
import { lstatSync, readlinkSync, type Stats } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { isWithin } from "../../util/within.js";
import type { Mount, SandboxLayout } from "./bubblewrap.js";
import { coverOf, hiddenOf, outermost } from "./hidden.js";
import { isFolder, realPath } from "./real-path.js";
import type { Walls } from "./sandbox.js";
import { Unreadable } from "./unreadable.js";

/** Programs, their libraries and the system's settings. Which of them are links differs. */
const SYSTEM = [
  ..."/usr /bin /sbin /lib /lib32 /lib64 /libx32 /etc /opt /nix/store /gnu/store".split(" "),
  ..."/run/current-system /var/lib/ca-certificates".split(" "),
];

export interface SandboxSurroundings {
  readonly system: readonly Mount[];
  /** What is in it that not every user may read. */
  readonly secret: SandboxLayout["hidden"];
}

const unreadable = new Unreadable();

/** Checked again for each command: files that are gone can't be hidden, and new ones would be missed. */
export function lookAround(walls: Walls, folders: readonly string[], isRoot: boolean): SandboxSurroundings {
  const isWork = (path: string) => folders.some((folder) => isWithin(folder, path));
  // Users other than root can read there only what is for everybody or their own.
  const more = isRoot ? ["/opt", "/usr/local", ...programFolders(walls)] : [];
  const secret = [
    ...unreadable.in(["/etc"]),
    ...unreadable.in(more.filter((path) => !isWork(path))).filter(({ path }) => !isWork(path)),
  ];
  return { system: [...SYSTEM.flatMap(systemMount), ...resolverMount()], secret };
}

/** The folders with links resolved, without those inside another one. */
export function realFolders(folders: readonly string[]): string[] {
  const outer = folders.filter(
    (folder) => !folders.some((other) => normalize(other) !== normalize(folder) && isWithin(other, folder)),
  );
  const real = [...new Set(outer.flatMap((folder) => realPath(folder) ?? []))];
  return real.filter((folder) => !real.some((other) => other !== folder && isWithin(other, folder)));
}

/** `folders` as `realFolders` gave them; `given`: a folder of Baton's own that this command may read. */
export function layoutOf(
  walls: Walls,
  folders: readonly string[],
  { system, secret }: SandboxSurroundings,
  given: string | null = null,
): Omit<SandboxLayout, "isRoot" | "isModern"> {
  const hasWithin = (path: string) => folders.some((folder) => isWithin(path, folder));
  const isShown = (path: string) => folders.some((folder) => isWithin(folder, path));
  const programs = programFolders(walls).filter((path) => !isShown(path));
  const mounts: Mount[] = [
    ...system,
    // Mounts below it must not depend on links that a command left there.
    hasWithin("/tmp") || (given !== null && isWithin("/tmp", given))
      ? empty("/tmp")
      : { kind: "writable", path: "/tmp", from: walls.temporary },
    { kind: "link", path: "/var/tmp", from: "/tmp" },
    { kind: "link", path: "/var/run", from: "/run" },
    empty("/run/lock"),
    ...(walls.home === "/" || isShown(walls.home) ? [] : [empty(walls.home)]),
    ...programs.map((path): Mount => ({ kind: "read-only", path, from: path })),
    ...folders.map((path): Mount => ({ kind: "writable", path, from: path })),
    ...givenMount(given, isShown),
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
    given: given === null ? [] : [realPath(given) ?? given],
    network: walls.network,
  };
}

/** Only where no working folder is around it: inside of one, a command could have put a link in its way. */
function givenMount(given: string | null, isShown: (path: string) => boolean): Mount[] {
  const from = given === null ? null : realPath(given);
  if (given === null || from === null || isShown(given) || isShown(from)) return [];
  return [{ kind: "read-only", path: given, from }];
}

function empty(path: string): Mount {
  return { kind: "empty", path, from: "" };
}

function systemMount(path: string): Mount[] {
  const stats = lstatOf(path);
  if (stats?.isSymbolicLink()) return [{ kind: "link", path, from: readlinkSync(path) }];
  return stats?.isDirectory() ? [{ kind: "read-only", path, from: path }] : [];
}

/** The list of name servers is often a link into a folder that also has sockets: only the file is shown. */
function resolverMount(): Mount[] {
  const real = realPath("/etc/resolv.conf");
  return real?.startsWith("/run/") ? [{ kind: "read-only", path: real, from: real }] : [];
}

/**
 * Programs that somebody installed elsewhere, and their libraries: for example Node.js or Python in the home folder.
 */
export function programFolders({ path, home }: Walls): string[] {
  const folders = path.split(":").filter((folder) => folder.startsWith("/") && !isWithin(folder, home));
  const withLibraries = folders.flatMap((folder) =>
    folder.endsWith("/bin") && dirname(folder) !== home ? [folder, join(dirname(folder), "lib")] : [folder],
  );
  return [...new Set(withLibraries.map((folder) => normalize(folder).replace(/(?<=.)\/$/, "")))].filter(
    (folder) => !SYSTEM.some((shown) => isWithin(shown, folder)) && isFolder(folder),
  );
}

/** The folders between one of `folders` and a path inside it, outermost first. */
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
