/**
 * What a role may do: the order of roles, the commands that they may use (each names the least role that it needs), the
 * tools that an agent has while it answers them, and whose requests they may touch. Pure; `docs/people.md` shows all of
 * it.
 */
import { GUEST_TOOLS, MEMBER_TOOLS } from "../config/role-defaults.js";
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

/** The highest of these; null if there is none. */
export function highest(roles: Iterable<Role | null>): Role | null {
  const had = new Set(roles);
  return ROLES.findLast((role) => had.has(role)) ?? null;
}

/** Names of tools, as in the configuration. A missing list means the default. */
export interface ToolLists {
  /** The tools of guests. */
  readonly guests?: readonly string[];
  readonly members?: readonly string[];
  /** On these platforms nobody has any other tools, whatever their role. */
  readonly byPlatform?: Readonly<Record<Platform, readonly string[]>>;
  /** By `platform:user`: the tools of that person, under all their identities, instead of their role's. */
  readonly byPerson?: Readonly<Record<string, readonly string[]>>;
  /** The tools that need approval for every call. */
  readonly ask?: readonly string[];
}

export interface ToolUser {
  readonly role: Role;
  readonly source: { readonly platform: Platform };
  /** Where they wrote it, if the answer goes elsewhere: the limits of both platforms apply. */
  readonly wroteOn?: Platform;
  /** The platform where they have the identity as which they are signed in: its limits apply, too. */
  readonly signedInFrom?: Platform;
  /** Every identity by which the lists may name them. */
  readonly names: readonly string[];
}

/** The tools that an agent has while it answers this person. */
export function toolsFor<Tool extends { readonly name: string }>(
  user: ToolUser,
  tools: readonly Tool[],
  lists: ToolLists,
): readonly Tool[] {
  const has = hasTool(user, lists);
  return tools.filter(({ name }) => has(name));
}

/** True if this person may do everything that the other may. */
export function mayAllThat(user: ToolUser, other: ToolUser, lists: ToolLists): boolean {
  const bounds = boundsOf(other, lists);
  const has = hasTool(user, lists);
  const theirs = bounds[0]?.filter((name) => bounds.every((list) => list.includes(name)));
  const toolsToo = theirs ? theirs.every(has) : boundsOf(user, lists).length === 0;
  return atLeast(user.role, other.role) && toolsToo;
}

/** The author of a request; somebody who no longer has access has no rights. */
export type AuthorRights =
  | ({ readonly allowed: true; readonly identities: readonly string[] } & ToolUser)
  | { readonly allowed: false };

/**
 * The one rule about whose requests somebody may stop, change, steer, repeat or approve: their own, and those of people
 * who may do no more than they. Requests of unknown authors are for owners.
 */
export function mayTouch(
  actor: ToolUser & { readonly identities: readonly string[] },
  author: AuthorRights | null,
  lists: ToolLists,
): boolean {
  if (author === null) return actor.role === "owner";
  if (!author.allowed) return true;
  const isSame = author.identities.some((identity) => actor.identities.includes(identity));
  return isSame || mayAllThat(actor, author, lists);
}

function hasTool(user: ToolUser, lists: ToolLists): (name: string) => boolean {
  const bounds = boundsOf(user, lists);
  return (name) => bounds.every((list) => list.includes(name));
}

/** The lists that must all contain a tool; none if they have all tools. */
function boundsOf(
  { role, source, wroteOn = source.platform, signedInFrom = wroteOn, names }: ToolUser,
  lists: ToolLists,
): (readonly string[])[] {
  const byPlatform = lists.byPlatform ?? {};
  const here = [source.platform, wroteOn, signedInFrom].flatMap((platform) =>
    Object.hasOwn(byPlatform, platform) ? [byPlatform[platform] ?? []] : [],
  );
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
      return [lists.members ?? MEMBER_TOOLS];
    case "guest":
      return [lists.guests ?? GUEST_TOOLS];
    default:
      return role satisfies never;
  }
}
