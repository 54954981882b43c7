/**
 * Where an imported session belongs: its key, and whose it is. The rule is that nobody sees more after an import than
 * before it. A member's own session in a group stays theirs, a group's stays the group's, whatever our scopes say of
 * sessions to come; and a session whose people cannot be known is for the gateway's owner alone.
 */
import { type Belonging, belongingOf } from "../../session/access.js";
import { InputError } from "../../session/errors.js";
import { type LiveSource, liveSource, type ToldSource } from "../../session/live-chat.js";
import { foldId, isPlatform, LOCAL, platformTraits, unmatchableChat } from "../../session/platform.js";
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
  /** The platform that the source names, if Baton does not know it. */
  readonly unknownPlatform?: string;
  /** What Baton had to guess, as a sentence. */
  readonly note?: string;
}

/** Other programs' names for the terminal. */
const TERMINAL: ReadonlySet<string> = new Set(["cli", "tui", LOCAL]);

/** The place of a source; nothing is known of how its program divided chats among members. */
function placeOf(source: SessionSource, scopes: SessionScopes, isGuess = false): ImportPlace {
  const { messageId: _, ...origin } = source;
  const note = isGuess ? MAYBE_PRIVATE : lacksChat(origin, scopes) ? NO_CHAT : undefined;
  return {
    key: buildSessionKey(origin, scopes),
    origin,
    displayName: displayNameOf(origin),
    ...belongingOf(origin, scopes),
    ...(note ? { note } : {}),
  };
}

const MAYBE_PRIVATE =
  "The source does not say if this channel is public or private. It came in as a public channel; if it is private, use /resume there.";
const NO_CHAT =
  "The source has the person's id, but not the id of the chat with them. They find the conversation with /resume.";

/** In place of the id of a chat of two stands that of its person, so no message there has its key. */
function lacksChat({ platform, chatType, chatId }: SessionSource, { dm }: SessionScopes): boolean {
  const isPerChat = dm !== "platform" || platformTraits(platform).dmPerChat === true;
  return chatType === "dm" && isPerChat && unmatchableChat(platform, chatId) !== null;
}

/** The terminal, where one starts without a name. */
export function terminalPlace(scopes: SessionScopes): ImportPlace {
  return placeOf(localSource(), scopes);
}

/**
 * The place of a source that had this key: the key says whether the session was one member's or everyone's. Null where
 * it does not say. The chat is told as our adapter tells of it, so that the key is that of what is said there next.
 */
export function placeUnderKey(key: string, source: SessionSource, scopes: SessionScopes): ImportPlace | null {
  return placeInLane(
    laneOf(key, source),
    source,
    (told) => liveSource({ ...told, chatType: vague(told) }),
    scopes,
  );
}

/** Programs that have keys as ours say "group" of all that is not a chat of two. */
function vague({ chatType }: SessionSource): ToldSource["chatType"] {
  return chatType === "group" ? "shared" : chatType;
}

function placeInLane(
  lane: KeyedLane | null,
  source: SessionSource,
  told: (source: SessionSource) => LiveSource,
  scopes: SessionScopes,
): ImportPlace | null {
  const isDirect = source.chatType === "dm";
  if (!lane && !isDirect) return null;
  const { source: place, isGuess } = told(lane?.source ?? source);
  if (place.chatType === "dm") return placeOf(place, scopes, isGuess);
  const participant = isDirect ? null : (lane?.participant ?? null);
  return participant === null
    ? placeOf(place, scoped(place, scopes, "chat"), isGuess)
    : placeOf(asParticipant(place, participant), scoped(place, scopes, "member"), isGuess);
}

/**
 * The place of a chat whose program says nothing of how it divided it among members: a chat of two is its person's, a
 * thread everyone's in it, and what was said in a group is the member's who is named, or else the gateway's owner's.
 */
export function placeOfChat(told: ToldSource, name: string, scopes: SessionScopes): ImportPlace {
  const { source, isGuess } = liveSource(told);
  if (source.chatType === "dm" || source.threadId) return placeOf(source, { ...scopes, thread: "chat" });
  if (!source.userId) return ownersPlace(name, scopes);
  return placeOf(source, { ...scopes, group: "member" }, isGuess);
}

/** The place of a chat of two. */
export function placeOfDirectChat(told: ToldSource, scopes: SessionScopes): ImportPlace {
  return placeOf(liveSource(told).source, scopes);
}

/** The place of a chat that everyone in it shared. */
export function placeOfSharedChat(told: ToldSource, scopes: SessionScopes): ImportPlace {
  const { source, isGuess } = liveSource(told);
  return placeOf(source, { ...scopes, group: "chat", thread: "chat" }, isGuess);
}

/** A place of its own that only the gateway's owner sees. */
export function ownersPlace(name: string, scopes: SessionScopes): ImportPlace {
  return placeOf({ platform: LOCAL, chatId: name, chatType: "dm" }, { ...scopes, dm: "chat" });
}

/** The same, of a platform that Baton does not know. */
export function strangersPlace(platform: string, name: string, scopes: SessionScopes): ImportPlace {
  return { ...ownersPlace(name, scopes), unknownPlatform: platform };
}

/** The place that a key alone names: one of ours, or `<channel>:<chat>[:<thread>]` as other programs write. */
export function placeOfKey(key: string, scopes: SessionScopes): ImportPlace {
  const [name = "", ...rest] = key.split(":");
  const channel = name.toLowerCase();
  const chat = rest.join(":");
  if (TERMINAL.has(channel)) {
    return chat === "" || chat === "direct"
      ? terminalPlace(scopes)
      : placeOf({ ...localSource(), chatId: chat }, scopes);
  }
  if (isPlatform(channel)) return placeInWords(channel, chat, key, scopes);
  const source = sourceOfOwnKey(key);
  if (source) return placeUnderKey(key, source, scopes) ?? ownersPlace(key, scopes);
  const [, platform = channel] = /^agent:[^:]+:([^:]+):/.exec(key) ?? [];
  return isPlatform(platform) ? ownersPlace(key, scopes) : strangersPlace(platform, key, scopes);
}

/** A chat by its id alone, perhaps with a thread. If the id does not say what it is, it counts as a chat of two. */
function placeInWords(platform: string, chat: string, key: string, scopes: SessionScopes): ImportPlace {
  const ids = idsIn(platform, chat);
  if (!ids) return ownersPlace(key, scopes);
  const { chatType, chatId } = liveSource({ platform, chatType: "unknown", ...ids }).source;
  if (chatType !== "dm") return placeOfSharedChat({ platform, chatType, ...ids }, scopes);
  // The chat may be known by its person's id: if it has an id of its own, nobody has that id, and only the owner sees it.
  const place = placeOfDirectChat({ platform, chatType: "dm", ...ids, userId: chatId }, scopes);
  const isKnown = liveSource({ platform, chatType: "group", ...ids }).source.chatType === "dm";
  return isKnown ? place : { ...place, note: UNCLEAR };
}

const UNCLEAR =
  "The source does not say if this was a direct chat or a group. It came in as a direct chat; if it was a group, use /resume there.";

/** The ids in `<chat>[:topic|thread]:<thread>`; null if they cannot be told apart. */
function idsIn(platform: string, written: string): { chatId: string; threadId?: string } | null {
  const { escapeColons, liveChat } = platformTraits(platform);
  const whole = liveChat?.({ chatId: written, chatType: "unknown" }).chatId ?? written;
  if (!escapeColons && written !== "" && unmatchableChat(platform, whole) === null)
    return { chatId: written };
  const parts = (escapeColons?.(written) ?? written).split(":").map((part) => unescapePart(part) ?? part);
  const [chatId, ...rest] = parts;
  const [threadId, ...more] = rest[0] === "topic" || rest[0] === "thread" ? rest.slice(1) : rest;
  if (!chatId || threadId === "" || more.length > 0) return null;
  return threadId === undefined ? { chatId } : { chatId, threadId };
}

/**
 * The place of a session with our own key. A session that moved has the key of its new lane beside the source it began
 * with: then the key holds as it is.
 */
export function placeOfOwnSession(key: string, source: SessionSource, scopes: SessionScopes): ImportPlace {
  const lane = laneOf(key, source);
  const place = lane && placeInLane(lane, source, (told) => ({ source: told, isGuess: false }), scopes);
  return place ?? { ...placeOf(source, {}), key: asSessionKey(key) };
}

/** A direct chat with a user, or the terminal, as a name of a program's surface and a user's id say. */
export function placeOfUser(
  surface: string,
  user: string | undefined,
  name: string,
  scopes: SessionScopes,
): ImportPlace {
  if (TERMINAL.has(surface)) return terminalPlace(scopes);
  if (!isPlatform(surface)) {
    const known = user === undefined ? surface : `${surface}:${user}`;
    return surface === "" ? ownersPlace(name, scopes) : strangersPlace(surface, known, scopes);
  }
  if (user === undefined) return ownersPlace(`${surface}:${name}`, scopes);
  return placeOfDirectChat({ platform: surface, chatId: user, chatType: "dm", userId: user }, scopes);
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

/** What a key says of a source: in which thread, if any, and whose. */
interface KeyedLane {
  readonly source: SessionSource;
  readonly participant: string | null;
}

/** Null where it is the key of another chat. */
function laneOf(key: string, source: SessionSource): KeyedLane | null {
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
