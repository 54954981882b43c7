/**
 * What a role may do: one order of roles, the commands they may give (each names the least role it needs), and the
 * tools an agent has while it answers them. Pure; `docs/people.md` shows the whole of it as a table.
 */
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
}

/** Nothing that touches files, runs commands or writes to others. */
const GUEST_TOOLS: readonly string[] = ["fetch_url", "session_search", "session_read"];

/** Beside these nothing is a member's unless it is configured: whoever has files or a shell has the machine. */
const MEMBER_TOOLS: readonly string[] = [...GUEST_TOOLS, "send_message"];

export interface ToolUser {
  readonly role: Role;
  readonly platform: Platform;
}

export function mayUseTool({ role, platform }: ToolUser, name: string, lists: ToolLists): boolean {
  const byPlatform = lists.byPlatform ?? {};
  const here = Object.hasOwn(byPlatform, platform) ? byPlatform[platform] : undefined;
  return (here?.includes(name) ?? true) && roleHasTool(role, name, lists);
}

/** Those of the tools that an agent has while it answers this person. */
export function toolsFor<Tool extends { readonly name: string }>(
  user: ToolUser,
  tools: readonly Tool[],
  lists: ToolLists,
): readonly Tool[] {
  return tools.filter(({ name }) => mayUseTool(user, name, lists));
}

function roleHasTool(role: Role, name: string, lists: ToolLists): boolean {
  switch (role) {
    case "owner":
      return true;
    case "member":
      return (lists.members ?? MEMBER_TOOLS).includes(name);
    case "guest":
      return (lists.guests ?? GUEST_TOOLS).includes(name);
    default:
      return role satisfies never;
  }
}
