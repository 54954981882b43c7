/**
 * When a file tool asks first, and how it then acts only on what was approved. The path is judged by where it leads
 * now, with links resolved, and again by what was really opened: the tool leaves sensitive files alone that were not
 * approved, whatever was swapped in between. A second name (hard link) of a known sensitive file counts as that file.
 */
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Danger, ToolContext } from "../agent.js";
import { argumentLines } from "../argument-lines.js";
import type { Check, Confined, ConfinedPath } from "./confined.js";
import { identity } from "./open-folder.js";
import { Refused } from "./refused.js";
import { SYSTEM, whySecret, whySensitive } from "./sensitive-places.js";

type Use = "read" | "write" | "edit";

/** What is dangerous about using the path in these arguments. */
export async function fileDanger(confined: Confined, use: Use, args: unknown): Promise<Danger | null> {
  if (typeof args !== "object" || args === null) return null;
  const written = "path" in args ? args.path : undefined;
  return placeDanger(confined, use, typeof written === "string" && written !== "" ? written : ".", args);
}

/** What is dangerous about using this path, which the arguments name. */
export async function placeDanger(
  confined: Confined,
  use: Use,
  written: string,
  args: unknown,
): Promise<Danger | null> {
  const place = await confined.whereIs(written);
  if (place === null) return null;
  const reason = await whyAsk(use, place, confined);
  if (reason === null) return null;
  return {
    reason,
    what: [...argumentLines(args), ...(place.isAsWritten ? [] : [`is: ${place.path}`])].join("\n"),
    place: place.path,
  };
}

/** Called when the tool acts: refuses a sensitive file that was not approved. */
export function approvedOnly(confined: Confined, use: Use, { approved }: ToolContext): Check {
  return async (place) => {
    if (approved?.place !== undefined && isWithin(place.path, approved.place)) return;
    const reason = await whyAsk(use, place, confined);
    if (reason !== null)
      throw new Refused(
        `${place.path} needs the user's approval, because this ${reason}. Call the tool with that path.`,
      );
  };
}

async function whyAsk(use: Use, place: ConfinedPath, confined: Confined): Promise<string | null> {
  const reason = byName(use, place.isFolder ? join(place.path, "*") : place.path);
  // An owner who gives the agent a folder of the system means it.
  if (reason === SYSTEM && confined.folders.some((folder) => isOfSystem(folder, place.path))) return null;
  if (reason !== null || !place.stats?.isFile() || place.stats.nlink < 2n) return reason;
  const twin = (await knownFiles(confined.home)).get(identity(place.stats));
  const known = twin === undefined ? null : byName(use, twin);
  return known === null ? null : `${known}, because it is another name of ${twin}`;
}

function byName(use: Use, path: string): string | null {
  return (use === "read" ? null : whySensitive(path)) ?? (use === "write" ? null : whySecret(path));
}

function isOfSystem(folder: string, path: string): boolean {
  return isWithin(path, folder) && whySensitive(join(folder, "x")) === SYSTEM;
}

function isWithin(path: string, place: string): boolean {
  return path === place || path.startsWith(`${place}/`);
}

const IN_HOME =
  ".bashrc .bash_profile .bash_login .profile .zshrc .zshenv .zprofile .netrc .npmrc .pypirc .pgpass .my.cnf .env .gitconfig .git-credentials .docker/config.json .kube/config .config/gh/hosts.yml .config/git/credentials .cargo/credentials.toml .bash_history .zsh_history .vault-token".split(
    " ",
  );
const FOLDERS_IN_HOME = [".ssh", ".gnupg", ".aws"];
const OF_SYSTEM = ["/etc/passwd", "/etc/shadow", "/etc/sudoers", "/etc/crontab"];

/** Files that are sensitive by name, identified by what they are on the disk. */
async function knownFiles(home: string | null): Promise<ReadonlyMap<string, string>> {
  const inFolders = await Promise.all(
    FOLDERS_IN_HOME.map(async (folder) =>
      (await readdir(join(home ?? "/", folder)).catch(() => [])).map((name) => join(folder, name)),
    ),
  );
  const inHome = home === null ? [] : [...IN_HOME, ...inFolders.flat()].map((name) => join(home, name));
  const found = await Promise.all(
    [...inHome, ...OF_SYSTEM].map(async (path) => {
      const stats = await stat(path, { bigint: true }).catch(() => null);
      return stats ? [[identity(stats), path] as const] : [];
    }),
  );
  return new Map(found.flat());
}
