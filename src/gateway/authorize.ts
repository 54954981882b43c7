/**
 * The gate: who may reach the agent, and with which role. It compares exact, immutable ids of the platform, in any
 * spelling. Somebody who is neither listed in the configuration nor known to the store has no access. Names never
 * decide anything. Every message passes here before anything is stored.
 */
import {
  aliasOf,
  chatOf,
  identityNamed,
  identityOf,
  OWNER,
  partsOfIdentity,
  type Viewer,
  viewerOf,
} from "../session/access.js";
import { LOCAL, type Platform, platformTraits } from "../session/platform.js";
import type { SessionSource } from "../session/source.js";
import type { Person } from "./people-store.js";
import { highest, type Role } from "./permissions.js";

/** Ids by platform, as the configuration has them. */
type Allowed = Readonly<Record<Platform, readonly string[]>>;

/** The people who have access by configuration. */
export interface ListedPeople {
  /** Members. */
  readonly allow?: Allowed;
  readonly owners?: Allowed;
  readonly guests?: Allowed;
}

/** The roles that the configuration gives, by identity. */
export type Listed = ReadonlyMap<string, Role>;

/** The person at the machine's terminal, who runs the gateway. */
export const TERMINAL = identityNamed(LOCAL, "terminal");

/** Somebody who has access. */
export interface Who {
  readonly source: SessionSource;
  /** Where they wrote, if `source` is only where they get the answer. */
  readonly wroteOn?: Platform;
  /** The platform of the identity as which they are signed in where they wrote. */
  readonly signedInFrom?: Platform;
  readonly role: Role;
  /** True if they have access in this group, and nowhere else. */
  readonly isOnlyHere?: true;
  /** What they may see in this chat. */
  readonly viewer: Viewer;
  /** All their identities, the one they write with among them. */
  readonly identities: readonly string[];
  /**
   * The names that the configuration may use for them: their identities, and a second id of the one that they write
   * with.
   */
  readonly names: readonly string[];
}

export type Access =
  | ({ readonly allowed: true } & Who)
  | { readonly allowed: false; readonly reason: string };

export function listedRoles({ allow = {}, owners = {}, guests = {} }: ListedPeople): Listed {
  const roles = new Map<string, Role>([[TERMINAL, "owner"]]);
  const lists: [Role, Allowed][] = [
    ["guest", guests],
    ["member", allow],
    ["owner", owners],
  ];
  for (const [role, list] of lists) {
    for (const [platform, ids] of Object.entries(list)) {
      for (const id of ids) roles.set(identityNamed(platform, id), role);
    }
  }
  return roles;
}

/** The role of a person: the highest that the configuration and the store give to any of their identities. */
export function roleOf(person: Pick<Person, "identities">, listed: Listed): Role | null {
  return highest(person.identities.flatMap(({ identity, role }) => [role, listed.get(identity) ?? null]));
}

/** The sender, as the store names them; null if the sender is unknown. */
export function senderOf(source: SessionSource): string | null {
  return source.platform === LOCAL ? TERMINAL : identityOf(source);
}

/**
 * `person` is the one that the store knows by `senderOf` this source, if any. `group` lists the accounts that may talk to
 * the agent in this group; null if it has no such list. The list decides about this group alone: it keeps everybody else
 * out, and lets somebody in who has no access elsewhere, as a guest.
 */
export function authorize(
  source: SessionSource,
  listed: Listed,
  person: Person | null,
  group: ReadonlySet<string> | null = null,
): Access {
  if (source.isBot) return { allowed: false, reason: "it is a bot" };
  const identity = senderOf(source);
  if (identity === null) return { allowed: false, reason: "the sender is unknown" };
  // The configuration may use either of two ids; the store knows only the one that decides.
  const second = aliasOf(source) ?? identity;
  if (group && !group.has(identity) && !group.has(second))
    return { allowed: false, reason: "the sender is not on the list of this group" };
  const known = [{ identity, role: listed.get(second) ?? null }, ...(person?.identities ?? [])];
  const role = roleOf({ identities: known }, listed);
  if (role === null && !group) return { allowed: false, reason: "the sender is not on the list of people" };
  const identities = [...new Set(known.map((each) => each.identity))];
  const names = [...new Set([...identities, second])];
  const rights = role === null ? { role: "guest" as const, isOnlyHere: true as const } : { role };
  const who = { source, ...signedInFrom(source, identity), ...rights, identities, names };
  return { allowed: true, ...who, viewer: viewerFor(source, identities) };
}

function signedInFrom(source: SessionSource, identity: string): Pick<Who, "signedInFrom"> {
  const from = platformTraits(source.platform).signedInAs && partsOfIdentity(identity)?.platform;
  return from ? { signedInFrom: from } : {};
}

/** The same person in another chat, where others may listen. */
export function seenFrom(who: Who, place: SessionSource): Who {
  const wroteOn = who.wroteOn ?? who.source.platform;
  return { ...who, source: place, wroteOn, viewer: viewerFor(place, who.identities) };
}

/** The terminal's user sees everything, also in private chats elsewhere; everybody else sees what is theirs. */
function viewerFor(source: SessionSource, identities: readonly string[]): Viewer {
  const viewer = viewerOf(source);
  if (source.platform === LOCAL) return OWNER;
  if (viewer.kind !== "person") return viewer;
  const isTheirs = viewer.identities.some((identity) => identities.includes(identity));
  if (!isTheirs) return { kind: "chat", chat: chatOf(source) }; // They get the answer in a chat of somebody else.
  return identities.includes(TERMINAL) ? OWNER : { kind: "person", identities };
}
