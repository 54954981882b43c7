/**
 * Which lane a message belongs to, as one readable value:
 * `agent:<agent>:<platform>:<chatType>[:<chatId>][:<threadId>][:<participant>]`, each part escaped.
 *
 * One function decides the key for live messages, handoff destinations and synthetic turns alike. Two sources share a
 * key only if the scopes say that they share a session; an optional part that could be taken for another is kept
 * apart by an empty part in its place.
 */
import { escapePart, unescapePart } from "../util/escape.js";
import { InputError } from "./errors.js";
import { foldId, isPlatform, type Platform, platformTraits } from "./platform.js";
import { CHAT_TYPES, type ChatType, parseSource, type SessionSource } from "./source.js";

declare const keyBrand: unique symbol;

/** A session key made by `buildSessionKey` or checked by `asSessionKey`. */
export type SessionKey = string & { readonly [keyBrand]: true };

export interface SessionScopes {
  /** The agent's name in the key; `main` unless several agents share a store. */
  readonly agent?: string;
  /** `chat`: one session a DM. `platform`: one for all DMs of a platform, for a gateway with one user. */
  readonly dm?: "chat" | "platform";
  /** `chat`: a group or channel shares one session. `member`: each member has their own. */
  readonly group?: "chat" | "member";
  /** The same, inside a thread or topic. */
  readonly thread?: "chat" | "member";
}

export interface SessionKeyParts {
  readonly agent: string;
  readonly platform: Platform;
  readonly chatType: ChatType;
  /** What follows the chat type, unescaped, in the key's order. */
  readonly parts: string[];
}

export function buildSessionKey(given: SessionSource, scopes: SessionScopes = {}): SessionKey {
  const source = parseSource(given);
  const { platform, chatType } = source;
  const traits = platformTraits(platform);
  if (chatType === "thread" && !source.threadId) {
    throw new InputError("missing_thread_id", `The ${platform} thread has no thread id. Set \`threadId\`.`);
  }
  const wholePlatform = chatType === "dm" && scopes.dm === "platform" && !traits.dmPerChat;
  const chat = wholePlatform ? [] : [foldId(platform, source.chatId)];
  const thread = source.threadId ? [source.threadId] : [];
  const member = participantOf(source, scopes);

  const parts = [...chat, ...thread, ...(member === null ? [] : [member])];
  if (wholePlatform && thread.length > 0) parts.unshift("");
  // A shared thread inside a group of member sessions: without this, thread 7 and member 7 would be one lane.
  const inGroup = chatType === "group" || chatType === "channel";
  if (inGroup && thread.length > 0 && member === null && scopes.group === "member") parts.push("");
  return ["agent", scopes.agent || "main", platform, chatType, ...parts]
    .map(escapePart)
    .join(":") as SessionKey;
}

/** The parts of a key, unescaped; throws if the text is not a key. */
export function parseSessionKey(key: string): SessionKeyParts {
  const parsed = partsOf(key);
  if (!isPlatform(parsed.platform)) throw notAKey(key);
  return parsed;
}

/** Checks a key that came from outside. */
export function asSessionKey(text: string): SessionKey {
  parseSessionKey(text);
  return text as SessionKey;
}

/** The same, also if its platform is registered only in the program that made it. */
export function asKeyOfAnyPlatform(text: string): SessionKey {
  partsOf(text);
  return text as SessionKey;
}

function partsOf(key: unknown): SessionKeyParts {
  const text = typeof key === "string" ? key : "";
  const [prefix, agent, platform, chatType, ...parts] = text.split(":").map((part) => unescapePart(part));
  if (
    prefix !== "agent" ||
    !agent ||
    !platform ||
    !CHAT_TYPES.includes(chatType as ChatType) ||
    parts.length > 3 ||
    parts.includes(null)
  ) {
    throw notAKey(key);
  }
  return { agent, platform, chatType: chatType as ChatType, parts: parts as string[] };
}

function notAKey(key: unknown): InputError {
  return new InputError(
    "invalid_session_key",
    `${typeof key === "string" ? JSON.stringify(key) : "That"} is not a session key. A key looks like agent:<agent>:<platform>:<chat type>:<chat id>…. Run \`baton sessions list\` to see them.`,
  );
}

/** True if everyone in the chat shares the session of this source. */
export function isShared(source: SessionSource, scopes: SessionScopes = {}): boolean {
  return source.chatType !== "dm" && scopeOf(source, scopes) === "chat";
}

/** The person whose own session this is, in a member scope; null if the session belongs to the chat. */
function participantOf(source: SessionSource, scopes: SessionScopes): string | null {
  if (source.chatType === "dm" || scopeOf(source, scopes) === "chat") return null;
  const id = source.userIdAlt || source.userId;
  if (!id) {
    throw new InputError(
      "missing_user_id",
      `Each member has their own session in this ${source.chatType}, but the message has no user id. Set \`userId\`.`,
    );
  }
  return foldId(source.platform, id);
}

function scopeOf(source: SessionSource, scopes: SessionScopes): "chat" | "member" {
  return (source.threadId ? scopes.thread : scopes.group) ?? "chat";
}
