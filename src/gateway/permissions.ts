/**
 * What a role may do: one order of roles, the commands they may give (each names the least role it needs), and the
 * tools an agent has while it answers them. Pure; `docs/people.md` shows the whole of it as a table.
 */
import { DEFAULTS } from "../config/defaults.js";
import { parseIdentity } from "../session/access.js";
import type { Platform } from "../session/platform.js";

/** From the least to the most. */
export const ROLES = ["guest", "member", "owner"] as const;
export type Role = (typeof ROLES)[number];

export function isRole(name: unknown): name is Role {
  return ROLES.includes(name as Role);
}

export function atLeast(role: Role, needed: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(needed);
}

/** The most of these; null where there is none. */
export function highest(roles: Iterable<Role | null>): Role | null {
  const had = new Set(roles);
  return ROLES.findLast((role) => had.has(role)) ?? null;
}

/** Names of tools, as the configuration has them. What is absent is as built in. */
export interface ToolLists {
  /** The tools of guests. */
  readonly guests?: readonly string[];
  readonly members?: readonly string[];
  /** On these platforms nobody has any other tools, whatever their role. */
  readonly byPlatform?: Readonly<Record<Platform, readonly string[]>>;
  /** By `platform:user`: the tools of that person, under all their identities, instead of their role's. */
  readonly byPerson?: Readonly<Record<string, readonly string[]>>;
}

export interface ToolUser {
  readonly role: Role;
  readonly source: { readonly platform: Platform };
  /** Every identity by which the lists may name them. */
  readonly names: readonly string[];
}

/** Those of the tools that an agent has while it answers this person. */
export function toolsFor<Tool extends { readonly name: string }>(
  user: ToolUser,
  tools: readonly Tool[],
  lists: ToolLists,
): readonly Tool[] {
  const has = hasTool(user, lists);
  return tools.filter(({ name }) => has(name));
}

/** Whether whatever the other may do, this one may too. */
export function mayAllThat(user: ToolUser, other: ToolUser, lists: ToolLists): boolean {
  const bounds = boundsOf(other, lists);
  const has = hasTool(user, lists);
  const theirs = bounds[0]?.filter((name) => bounds.every((list) => list.includes(name)));
  const toolsToo = theirs ? theirs.every(has) : boundsOf(user, lists).length === 0;
  return atLeast(user.role, other.role) && toolsToo;
}

function hasTool(user: ToolUser, lists: ToolLists): (name: string) => boolean {
  const bounds = boundsOf(user, lists);
  return (name) => bounds.every((list) => list.includes(name));
}

/** The lists that a tool must stand in, each of them; none where all tools are theirs. */
function boundsOf({ role, source: { platform }, names }: ToolUser, lists: ToolLists): (readonly string[])[] {
  const byPlatform = lists.byPlatform ?? {};
  const here = Object.hasOwn(byPlatform, platform) ? [byPlatform[platform] ?? []] : [];
  const own = Object.entries(lists.byPerson ?? {})
    .filter(([person]) => names.includes(parseIdentity(person) ?? ""))
    .map(([, list]) => list);
  return [...here, ...(own.length > 0 ? own : roleTools(role, lists))];
}

function roleTools(role: Role, lists: ToolLists): (readonly string[])[] {
  switch (role) {
    case "owner":
      return [];
    case "member":
      return [lists.members ?? DEFAULTS.tools.members];
    case "guest":
      return [lists.guests ?? DEFAULTS.tools.guests];
    default:
      return role satisfies never;
  }
}
