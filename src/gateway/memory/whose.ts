/**
 * Whose memory somebody has: their own in private, the chat's in a group. Pure. Default deny: where others could read the
 * answer now or later, a person's own notes are not there; and where it is unclear whose memory it is, there is none.
 */
import { belongingOf, chatOf, isOwn, ownerOfChat, ownerOfPerson } from "../../session/access.js";
import { platformTraits } from "../../session/platform.js";
import type { SessionEntry } from "../../session/session.js";
import type { SessionScopes } from "../../session/session-key.js";
import type { SessionSource } from "../../session/source.js";
import type { Author, Message } from "../../session/transcript.js";
import { type Access, senderOf, type Who } from "../authorize.js";
import { atLeast, isRole } from "../permissions.js";

/** Whose notes are read, and under which owner new ones are written. */
export interface MemoryReader {
  readonly kind: "person" | "chat";
  /** Never empty. */
  readonly owners: readonly string[];
  /** One of them. */
  readonly owner: string;
  readonly mayChange: boolean;
}

/** The memory of somebody in a place; null if they have none there. */
export function memoryAt(who: Pick<Who, "role" | "identities">, place: SessionSource): MemoryReader | null {
  if (platformTraits(place.platform).isInternal) return null; // A job: its result may go anywhere.
  if (place.chatType !== "dm") {
    const owner = ownerOfChat(chatOf(place));
    return { kind: "chat", owners: [owner], owner, mayChange: atLeast(who.role, "member") };
  }
  const sender = senderOf(place);
  if (sender === null || !who.identities.includes(sender)) return null; // A private chat of somebody else.
  return {
    kind: "person",
    owners: who.identities.map(ownerOfPerson),
    owner: ownerOfPerson(sender),
    mayChange: true,
  };
}

export interface TurnOfMemory {
  readonly who: Access;
  /** Where the turn is. */
  readonly source: SessionSource;
  readonly entry: Pick<SessionEntry, "owner">;
  readonly scopes: SessionScopes;
  /** Others take part in it, or did. */
  readonly shared: boolean;
}

/** The memory that a turn has. A conversation of others that was moved here has none: they may read it again later. */
export function memoryOfTurn({ who, source, entry, scopes, shared }: TurnOfMemory): MemoryReader | null {
  const reader = who.allowed ? memoryAt(who, source) : null;
  if (!who.allowed || reader?.kind !== "person") return reader;
  const isTheirs = isOwn(entry, who.identities) || entry.owner === belongingOf(source, scopes).owner;
  return isTheirs && !shared ? reader : null;
}

/** The memory that gets what a model finds worth remembering, and from whose words it may come. */
export interface RememberedFor {
  readonly owner: string;
  /** False if somebody wrote among these who may not change that memory. */
  readonly takes: (messages: readonly Message[]) => boolean;
}

/** Null if nobody's does. A chat remembers only its own conversations: not one that came from a private chat. */
export function rememberedFor(turn: TurnOfMemory): RememberedFor | null {
  const { who, entry } = turn;
  const reader = memoryOfTurn(turn);
  if (!who.allowed || !reader?.mayChange) return null;
  const { kind, owner } = reader;
  if (kind === "chat" && entry.owner !== owner) return null;
  const mayWrite = ({ id, role }: Author): boolean =>
    kind === "chat" ? isRole(role) && atLeast(role, "member") : who.identities.includes(id);
  const takes = (messages: readonly Message[]): boolean =>
    messages.every((message) => message.role !== "user" || !message.author || mayWrite(message.author));
  return { owner, takes };
}
