/**
 * Who may list, read, search, resume and hand off a session. Default deny; exact ids; names never decide anything.
 *
 * A session belongs to a person (DMs, and groups in which each member has their own) or to a chat (everyone there
 * shares it), wherever it moves. While it is in a lane, the people of that lane may see it too. A viewer is the
 * gateway's owner, a person in private, or somebody inside a chat. Inside a chat, nothing private from that person's
 * other chats is shown, because the others in the chat would see it too.
 */
import { escapePart, unescapePart } from "../util/escape.js";
import { InputError } from "./errors.js";
import { foldId, LOCAL, type Platform, platformTraits } from "./platform.js";
import { isShared, type SessionScopes } from "./session-key.js";
import type { SessionSource } from "./source.js";

/** Who is looking. */
export type Viewer =
  | { readonly kind: "owner" }
  /** A person in private; several identities if they are linked. */
  | { readonly kind: "person"; readonly identities: readonly string[] }
  /** Inside a chat: its shared sessions, and this person's own there. */
  | { readonly kind: "chat"; readonly chat: string; readonly identity?: string };

/** The one who runs the gateway, and the embedding program itself. */
export const OWNER: Viewer = { kind: "owner" };

/** Who owns something, and in which chat. */
export interface Belonging {
  readonly owner: string;
  readonly chat: string;
}

/** The fields of a session that decide who may see it. */
export interface SessionBelonging extends Belonging {
  /** The owner of the lane that it is in: people who talk there may see it too, wherever it came from. */
  readonly laneOwner: string;
}

/** The immutable name of a person on a platform: `platform:id`, escaped; null if the source names nobody. */
export function identityOf(source: SessionSource): string | null {
  const id = source.userIdAlt || source.userId;
  return id ? identityById(source.platform, id) : null;
}

/** The same for one of a user's ids by itself: also somewhere where people sign in as somebody that they are elsewhere. */
export function identityById(platform: Platform, id: string): string | null {
  const { signedInAs } = platformTraits(platform);
  return signedInAs ? signedInAs(id) : identityNamed(platform, id);
}

/** The sender by the second of two ids, which the settings may use beside the identity; null if there is none. */
export function aliasOf(source: SessionSource): string | null {
  const alias = source.userId ? identityById(source.platform, source.userId) : null;
  return alias === identityOf(source) ? null : alias;
}

/** An id of that platform itself, as an identity. */
export function identityNamed(platform: Platform, id: string): string {
  return `${platform}:${escapePart(foldId(platform, id))}`;
}

/** The platform and the id of an identity; null for one that names nobody. */
export function partsOfIdentity(
  identity: string,
): { readonly platform: Platform; readonly id: string } | null {
  const at = identity.indexOf(":");
  const id = unescapePart(identity.slice(at + 1));
  return at > 0 && id ? { platform: identity.slice(0, at), id } : null;
}

/** The identity that a text names: `platform:id`, the id as it is or escaped; null if it is neither. */
export function parseIdentity(text: string): string | null {
  const [, platform = "", id = ""] = /^([^:]+):(.+)$/s.exec(text) ?? [];
  return id === "" ? null : identityNamed(platform, unescapePart(id) ?? id);
}

/** The immutable name of a chat: `platform:id`, escaped. */
export function chatOf(source: Pick<SessionSource, "platform" | "chatId">): string {
  return `${source.platform}:${escapePart(foldId(source.platform, source.chatId))}`;
}

const [CHAT, PERSON] = ["chat:", "person:"];

/** What belongs to everybody in a chat. */
export function ownerOfChat(chat: string): string {
  return `${CHAT}${chat}`;
}

/** What belongs to the person with this identity. */
export function ownerOfPerson(identity: string): string {
  return `${PERSON}${identity}`;
}

/** Whether these read as `belongingOf` writes them, in a file that may come from anywhere. */
export function isBelonging({ owner, chat }: Belonging): boolean {
  return WRITTEN.test(owner) && WRITTEN.test(ownerOfChat(chat));
}

const WRITTEN = /^(person|chat):[^:\p{Cc}]+:[^:\p{Cc}]+$/u;

/** The person that something belongs to; null if it belongs to everybody in a chat. */
export function personOf({ owner }: Pick<Belonging, "owner">): string | null {
  return owner.startsWith(PERSON) ? owner.slice(PERSON.length) : null;
}

/** The chat that something belongs to; null if it belongs to a person. */
export function chatOwning({ owner }: Pick<Belonging, "owner">): string | null {
  return owner.startsWith(CHAT) ? owner.slice(CHAT.length) : null;
}

/** The platform where the owner of something is; null for one that `belongingOf` does not write. */
export function platformOfOwner(owner: string): Platform | null {
  return /^(?:person|chat):([^:]+):/.exec(owner)?.[1] ?? null;
}

/** Whether it is the own of one of these identities. */
export function isOwn({ owner }: Pick<Belonging, "owner">, identities: readonly (string | null)[]): boolean {
  const person = personOf({ owner });
  return person !== null && identities.includes(person);
}

/** What terminals begin belongs to one place: there is one person, however many windows are open. */
const TERMINALS = `${LOCAL}:cli`;

/** Who owns a session that this source starts. */
export function belongingOf(source: SessionSource, scopes: SessionScopes = {}): Belonging {
  const chat = chatOf(source);
  const identity = isShared(source, scopes) ? null : identityOf(source);
  const whose = source.platform === LOCAL ? TERMINALS : chat;
  return { owner: identity === null ? ownerOfChat(whose) : ownerOfPerson(identity), chat };
}

/** The viewer for the sender of this message, in the chat where they wrote it. */
export function viewerOf(source: SessionSource): Viewer {
  const identity = identityOf(source);
  if (source.chatType === "dm" && identity !== null) return { kind: "person", identities: [identity] };
  return { kind: "chat", chat: chatOf(source), ...(identity === null ? {} : { identity }) };
}

/** Every list, read, search, resume and handoff asks this. */
export function mayAccess(viewer: Viewer, session: SessionBelonging): boolean {
  if (viewer.kind === "owner") return true;
  const owners = ownersFor(viewer);
  const theirs = owners.includes(session.owner) || owners.includes(session.laneOwner);
  return theirs && (viewer.kind === "person" || viewer.chat === session.chat);
}

/** The `owner` values that a viewer can see; a viewer inside a chat is also limited to that chat. */
export function ownersFor(viewer: Exclude<Viewer, { kind: "owner" }>): string[] {
  if (viewer.kind === "person") return viewer.identities.map(ownerOfPerson);
  return [ownerOfChat(viewer.chat), ...(viewer.identity ? [ownerOfPerson(viewer.identity)] : [])];
}

/** A missing viewer is a mistake in the program, not a person who may see everything. */
export function checkViewer(viewer: Viewer | undefined): Viewer {
  const valid =
    viewer?.kind === "owner" ||
    (viewer?.kind === "person" && Array.isArray(viewer.identities)) ||
    (viewer?.kind === "chat" && typeof viewer.chat === "string" && viewer.chat !== "");
  if (!viewer || !valid) {
    throw new InputError(
      "viewer_required",
      "Say who is looking: pass viewerOf(source), or OWNER for the gateway's owner.",
    );
  }
  return viewer;
}
