/**
 * Where an imported session belongs: its key, and whose it is. The rule is that nobody sees more after an import than
 * before it. A member's own session in a group stays theirs, a group's stays the group's, whatever our scopes say of
 * sessions to come; and a session whose people cannot be known is for the gateway's owner alone.
 */
import { type Belonging, belongingOf } from "../../session/access.js";
import { InputError } from "../../session/errors.js";
import { foldId, isPlatform, LOCAL, platformTraits } from "../../session/platform.js";
import { displayNameOf } from "../../session/session.js";
import {
  asSessionKey,
  buildSessionKey,
  parseSessionKey,
  type SessionKey,
  type SessionScopes,
} from "../../session/session-key.js";
import { localSource, parseSource, type SessionSource, serializeSource } from "../../session/source.js";
import { escapePart, unescapePart } from "../../util/escape.js";

export interface ImportPlace extends Belonging {
  readonly key: SessionKey;
  readonly origin: SessionSource;
  readonly displayName: string;
}

/** Other programs' name for the terminal. */
const TERMINAL = "cli";

/** The place of a source; nothing is known of how its program divided chats among members. */
function placeOf(source: SessionSource, scopes: SessionScopes): ImportPlace {
  const { messageId: _, ...origin } = source;
  return {
    key: buildSessionKey(origin, scopes),
    origin,
    displayName: displayNameOf(origin),
    ...belongingOf(origin, scopes),
  };
}

/**
 * The place of a source that had this key: the key says whether the session was one member's or everyone's. Null where
 * it does not say.
 */
export function placeUnderKey(key: string, source: SessionSource, scopes: SessionScopes): ImportPlace | null {
  const lane = laneOf(key, source);
  if (source.chatType === "dm") return placeOf(lane?.source ?? source, scopes);
  if (!lane) return null;
  const { participant } = lane;
  return participant === null
    ? placeOf(lane.source, scoped(lane.source, scopes, "chat"))
    : placeOf(asParticipant(lane.source, participant), scoped(lane.source, scopes, "member"));
}

/** A place of its own that only the gateway's owner sees. */
export function ownersPlace(name: string, scopes: SessionScopes): ImportPlace {
  return placeOf({ platform: LOCAL, chatId: name, chatType: "dm" }, { ...scopes, dm: "chat" });
}

/** The place that a key alone names: one of ours, or `<channel>:<chat>` as other programs write. */
export function placeOfKey(key: string, scopes: SessionScopes): ImportPlace {
  const [name = "", ...rest] = key.split(":");
  const channel = name.toLowerCase();
  const chat = rest.join(":");
  if (channel === TERMINAL) {
    return placeOf(
      chat === "" || chat === "direct" ? localSource() : { ...localSource(), chatId: chat },
      scopes,
    );
  }
  if (isPlatform(channel) && channel !== LOCAL && chat !== "")
    return placeOf(chatSource(channel, chat), scopes);
  const source = sourceOfOwnKey(key);
  return (source && placeUnderKey(key, source, scopes)) ?? ownersPlace(key, scopes);
}

/**
 * The place of a session with our own key. A session that moved has the key of its new lane beside the source it began
 * with: then the key holds as it is.
 */
export function placeOfOwnSession(key: string, source: SessionSource, scopes: SessionScopes): ImportPlace {
  const place = laneOf(key, source) && placeUnderKey(key, source, scopes);
  return place ?? { ...placeOf(source, {}), key: asSessionKey(key) };
}

/** A direct chat with a user, or the terminal, as a name of a program's surface and a user's id say. */
export function placeOfUser(
  surface: string,
  user: string | undefined,
  name: string,
  scopes: SessionScopes,
): ImportPlace {
  if (surface === TERMINAL || surface === LOCAL) return placeOf(localSource(), scopes);
  if (!isPlatform(surface)) return ownersPlace(user === undefined ? surface : `${surface}:${user}`, scopes);
  if (user === undefined) return ownersPlace(`${surface}:${name}`, scopes);
  return placeOf({ platform: surface, chatId: user, chatType: "dm", userId: user }, scopes);
}

/** The source in JSON; null where its platform is none of ours. Any other defect is an error that names the field. */
export function readSource(json: unknown): SessionSource | null {
  try {
    // Once through the writer: what comes out is what a store gives back.
    const source = parseSource(serializeSource(parseSource(json)));
    if (source.chatType === "thread" && !source.threadId) {
      throw new InputError("missing_thread_id", "The thread has no thread id.");
    }
    return source;
  } catch (error) {
    if (error instanceof InputError && error.code === "unknown_platform") return null;
    throw error;
  }
}

/**
 * A negative number or a group's domain names a group. Any other chat counts as direct and as that of a user with its
 * id: where chats have ids of their own, no user has that id, and only the gateway's owner sees the session.
 */
function chatSource(platform: string, chat: string): SessionSource {
  if (/^-\d+$|@g\.us$/.test(chat)) return { platform, chatId: chat, chatType: "group" };
  return { platform, chatId: chat, chatType: "dm", userId: chat };
}

/** The source that a key of ours names, where its parts can be read in one way only. */
function sourceOfOwnKey(key: string): SessionSource | null {
  let parsed: ReturnType<typeof parseSessionKey>;
  try {
    parsed = parseSessionKey(key);
  } catch (error) {
    if (error instanceof InputError) return null;
    throw error;
  }
  const { platform, chatType, parts } = parsed;
  const [chatId, threadId, ...more] = parts;
  if (!chatId || more.length > 0 || (chatType === "thread") !== (threadId !== undefined)) return null;
  return { platform, chatType, chatId, ...(threadId ? { threadId } : {}) };
}

/** What a key says of a source: in which thread, if any, and whose. Null where it is the key of another chat. */
function laneOf(
  key: string,
  source: SessionSource,
): { source: SessionSource; participant: string | null } | null {
  const { platform, chatType, chatId, threadId, ...others } = source;
  const head = /^agent:[^:]+:([^:]+):([^:]+)(?=:|$)/.exec(key);
  if (!head || head[1] !== platform || head[2] !== chatType) return null;
  const lane = key.slice(head[0].length);
  const wholePlatform = chatType === "dm" && !platformTraits(platform).dmPerChat;
  const afterChat =
    strip(lane, platform, chatId) ?? (wholePlatform && /^(::|$)/.test(lane) ? lane.slice(1) : null);
  if (afterChat === null) return null;

  const afterThread = threadId ? strip(afterChat, platform, threadId) : null;
  // A key without the thread is that of the whole chat, and the thread only where somebody wrote last.
  const keepsThread = afterThread !== null || chatType === "thread";
  const where = { platform, chatType, chatId, ...(threadId && keepsThread ? { threadId } : {}), ...others };
  const participant = (afterThread ?? afterChat).slice(1);
  return {
    source: where,
    participant: participant === "" ? null : (unescapePart(participant) ?? participant),
  };
}

/** The key without this id at its beginning, however it was spelled there; null where it begins otherwise. */
function strip(lane: string, platform: string, id: string): string | null {
  for (const spelled of new Set([foldId(platform, id), id].flatMap((each) => [escapePart(each), each]))) {
    if (lane === `:${spelled}` || lane.startsWith(`:${spelled}:`)) return lane.slice(spelled.length + 1);
  }
  return null;
}

/** The source as that of this member. Another one's name and ids, left by whoever wrote first, do not come along. */
function asParticipant(source: SessionSource, participant: string): SessionSource {
  const same = (id: string | undefined) =>
    id !== undefined && foldId(source.platform, id) === foldId(source.platform, participant);
  if (same(source.userIdAlt) || same(source.userId)) return source;
  const { userId: _, userIdAlt: __, userName: ___, ...chat } = source;
  return { ...chat, userId: participant };
}

function scoped(source: SessionSource, scopes: SessionScopes, scope: "chat" | "member"): SessionScopes {
  return source.threadId ? { ...scopes, thread: scope } : { ...scopes, group: scope };
}
