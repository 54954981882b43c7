/**
 * Who may list, read, search, resume and hand off a session. Default deny; exact ids; names never decide anything.
 *
 * A session belongs to a person (DMs, and groups where each member has their own) or to a chat (everyone there
 * shares it), and stays theirs wherever it moves; those in whose lane it is may see it as long as it is there. A viewer looks either as the gateway's owner, as a person in private, or from inside a chat. From inside
 * a chat nothing private of that person's other chats shows: the others in the chat would see it too.
 */
import { escapePart, unescapePart } from "../util/escape.js";
import { InputError } from "./errors.js";
import { foldId, type Platform } from "./platform.js";
import { isShared, type SessionScopes } from "./session-key.js";
import type { SessionSource } from "./source.js";

/** Who is looking. */
export type Viewer =
  | { readonly kind: "owner" }
  /** A person in private; several identities where they are linked. */
  | { readonly kind: "person"; readonly identities: readonly string[] }
  /** Inside a chat: its shared sessions, and this person's own there. */
  | { readonly kind: "chat"; readonly chat: string; readonly identity?: string };

/** The one who runs the gateway, and the embedding program itself. */
export const OWNER: Viewer = { kind: "owner" };

/** Whose something is, and in which chat. */
export interface Belonging {
  readonly owner: string;
  readonly chat: string;
}

/** The fields of a session that decide who may see it. */
export interface SessionBelonging extends Belonging {
  /** Whose the lane is that it is in: those who talk in it may see it too, wherever it came from. */
  readonly laneOwner: string;
}

/** The immutable name of a person on a platform: `platform:id`, escaped; null if the source names nobody. */
export function identityOf(source: SessionSource): string | null {
  const id = source.userIdAlt || source.userId;
  return id ? identityNamed(source.platform, id) : null;
}

/** The same for an id by itself. */
export function identityNamed(platform: Platform, id: string): string {
  return `${platform}:${escapePart(foldId(platform, id))}`;
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

/** To whom a session begun by this source belongs. */
export function belongingOf(source: SessionSource, scopes: SessionScopes = {}): Belonging {
  const chat = chatOf(source);
  const identity = isShared(source, scopes) ? null : identityOf(source);
  return { owner: identity === null ? `chat:${chat}` : `person:${identity}`, chat };
}

/** The viewer that the sender of this message is, in the place where they wrote it. */
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

/** The `owner` values a viewer can see at all; a viewer inside a chat is also held to that chat. */
export function ownersFor(viewer: Exclude<Viewer, { kind: "owner" }>): string[] {
  if (viewer.kind === "person") return viewer.identities.map((identity) => `person:${identity}`);
  return [`chat:${viewer.chat}`, ...(viewer.identity ? [`person:${viewer.identity}`] : [])];
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
