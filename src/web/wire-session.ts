/** Conversations as the page lists them. What a page of them needs of the store is read at once. */
import { chatOfIdentity, WEB } from "../adapter/web/web-source.js";
import { TERMINAL } from "../gateway/authorize.js";
import { nameOf, placeOf } from "../gateway/session-names.js";
import { belongingOf, isOwn } from "../session/access.js";
import type { SessionId } from "../session/ids.js";
import type { SessionEntry } from "../session/session.js";
import { localSource } from "../session/source.js";
import { cleanLine } from "../util/text.js";
import type { WebAsking } from "./asking.js";
import type { WebSetting } from "./setting.js";
import type { WireSession } from "./wire.js";

export type SessionSetting = Pick<WebSetting, "sessions"> & {
  readonly store: Pick<WebSetting["store"], "overview">;
};
type PageAsker = Pick<WebAsking, "signedIn" | "who">;

/** In the same order. Whoever asks may see them. */
export async function wireSessions(
  entries: readonly SessionEntry[],
  asker: PageAsker,
  { sessions, store }: SessionSetting,
): Promise<WireSession[]> {
  const working = await store.overview.working(entries.map(({ sessionId }) => sessionId));
  return Promise.all(
    entries.map(async (entry) => {
      const isHere = isInChat(entry, asker) && (await isCurrent(entry, sessions));
      return wireSession(entry, asker, working, isHere);
    }),
  );
}

export async function wireSessionOf(
  entry: SessionEntry,
  asker: PageAsker,
  setting: SessionSetting,
): Promise<WireSession> {
  const [session] = await wireSessions([entry], asker, setting);
  if (!session) throw new Error("A conversation was not read.");
  return session;
}

/** What the next message in its lane goes on with: also what a policy ended, until something else is there. */
async function isCurrent(
  { sessionId, key, endedAt, endReason }: SessionEntry,
  sessions: Pick<WebSetting["sessions"], "current">,
): Promise<boolean> {
  if (endedAt === null) return true;
  if (endReason !== "idle" && endReason !== "daily") return false;
  return (await sessions.current(key))?.sessionId === sessionId;
}

/** What terminals begin belongs to no person by name. */
export function isTheirs({ owner }: Pick<SessionEntry, "owner">, identities: readonly string[]): boolean {
  return isOwn({ owner }, identities) || (owner === OF_TERMINALS && identities.includes(TERMINAL));
}

const OF_TERMINALS = belongingOf(localSource()).owner;

/** Nobody needs to be told what they are called themselves. */
function namesFor(entry: SessionEntry, asker: PageAsker): Pick<WireSession, "name" | "place"> {
  if (!isInChat(entry, asker)) return { name: nameOf(entry), place: placeOf(entry) };
  const untitled = entry.origin.threadId === undefined ? "Main chat" : "Untitled chat";
  return { name: entry.title === null ? untitled : nameOf(entry), place: "" };
}

function isInChat({ platform, origin }: SessionEntry, { signedIn }: PageAsker): boolean {
  return platform === WEB && origin.chatId === chatOfIdentity(signedIn.identity);
}

function wireSession(
  entry: SessionEntry,
  asker: PageAsker,
  working: ReadonlySet<SessionId>,
  isHere: boolean,
): WireSession {
  const { sessionId, title, platform, createdAt, updatedAt, endedAt, endReason } = entry;
  const { messageCount, cost, origin } = entry;
  return {
    id: sessionId,
    title: title === null ? null : cleanLine(title),
    platform,
    ...namesFor(entry, asker),
    ...(isHere ? { thread: origin.threadId ?? null } : {}),
    ...{ createdAt, updatedAt, endedAt, endReason, messageCount, cost },
    isWorking: working.has(sessionId),
  };
}
