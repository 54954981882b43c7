/**
 * Lanes: which session a key has, and the place and people behind the key. Locks are taken in one order, routes by their
 * keys and then sessions by their ids, so that steps that cross each other wait instead of blocking each other.
 */

import { ownerOfChat, personOf } from "../../session/access.js";
import { ConflictError, sessionNotFound } from "../../session/errors.js";
import type { SessionId } from "../../session/ids.js";
import { type SessionEntry, standsFor } from "../../session/session.js";
import { parseSessionKey, type SessionKey } from "../../session/session-key.js";
import type { SessionSource } from "../../session/source.js";
import type { LanePlace } from "../../session/store.js";
import { escapePart } from "../../util/escape.js";
import type { Dialect, Queries, Row } from "../db.js";
import { columnsOf } from "./columns.js";
import { hasActiveHandoff, type SessionRow, sessionRow, writeOrigin } from "./rows.js";
import { endSession, readSession } from "./session-steps.js";
import { source, text } from "./values.js";

export interface LaneSession {
  readonly place: LanePlace;
  readonly session: SessionRow;
}

/** The lane of a key, held until the transaction ends; null where the key has no session. */
export async function lockLane(tx: Queries, dialect: Dialect, key: SessionKey): Promise<LaneSession | null> {
  const route = await tx.get(
    `SELECT ${columnsOf("routes")} FROM routes WHERE key = ? ${dialect.forUpdate("routes")}`,
    key,
  );
  if (!route) return null;
  const session = await readSession(tx, text<SessionId>(route.session_id), dialect.forUpdate("sessions"));
  return { place: placeOf(route), session };
}

/** The session that a script has borrowed from this lane, which has none meanwhile; null if there is none. */
export async function lentSession(tx: Queries, key: SessionKey): Promise<SessionId | null> {
  const lent = await tx.get(
    `SELECT r.session_id FROM terminals t JOIN routes r ON r.key = t.key
     WHERE t.back_to = ? LIMIT 1`,
    key,
  );
  return lent ? text<SessionId>(lent.session_id) : null;
}

/** The lane of a key and a session that may be in another one, `from`, held together. */
async function lockMove(
  tx: Queries,
  dialect: Dialect,
  key: SessionKey,
  sessionId: SessionId,
): Promise<{ lane: LaneSession | null; target: SessionEntry; from: SessionKey | null }> {
  const routes = await tx.all(
    `SELECT ${columnsOf("routes")} FROM routes WHERE key = ? OR session_id = ? ORDER BY key ${dialect.forUpdate("routes")}`,
    key,
    sessionId,
  );
  const route = routes.find((row) => row.key === key);
  const rows = await tx.all(
    `SELECT ${columnsOf("sessions")} FROM sessions WHERE id IN (?, ?) ORDER BY id ${dialect.forUpdate("sessions")}`,
    sessionId,
    route ? text(route.session_id) : sessionId,
  );
  const found = rows.map(sessionRow);
  const target = found.find(({ entry }) => entry.sessionId === sessionId);
  if (!target) throw sessionNotFound(sessionId);
  const session = found.find(({ entry }) => entry.sessionId === route?.session_id);
  const from = routes.find((row) => row.session_id === sessionId);
  const lane = route && session ? { place: placeOf(route), session } : null;
  return { lane, target: target.entry, from: from ? text<SessionKey>(from.key) : null };
}

/** Makes the lane lead to the session. */
export async function setRoute(tx: Queries, place: LanePlace, sessionId: SessionId): Promise<void> {
  await tx.run(
    `INSERT INTO routes (key, session_id, owner, chat, origin, display_name) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (key) DO UPDATE SET session_id = excluded.session_id, owner = excluded.owner, chat = excluded.chat,
       origin = excluded.origin, display_name = excluded.display_name`,
    ...routeValues(place, sessionId),
  );
}

/** The same, unless the key has a session by now. */
export async function addRoute(tx: Queries, place: LanePlace, sessionId: SessionId): Promise<boolean> {
  const added = await tx.run(
    `INSERT INTO routes (key, session_id, owner, chat, origin, display_name) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (key) DO NOTHING`,
    ...routeValues(place, sessionId),
  );
  return added === 1;
}

/**
 * The person of a DM whose lane was made by its key alone: it belongs to the chat until its person writes there. From then
 * on the lane is theirs, and they see the session that it has.
 */
export async function meetPerson(
  tx: Queries,
  { place, session }: LaneSession,
  who: LanePlace,
): Promise<SessionRow> {
  const isNew =
    who.origin.chatType === "dm" &&
    place.chat === who.chat &&
    personOf(place) === null &&
    personOf(who) !== null;
  if (!isNew) return session;
  const { sessionId } = session.entry;
  const { key, owner, chat, origin, displayName } = { ...who, key: place.key };
  await setRoute(tx, { key, owner, chat, origin, displayName }, sessionId);
  const change = "UPDATE sessions SET lane_owner = ?, origin = ? WHERE id = ?";
  await tx.run(change, owner, writeOrigin(origin), sessionId);
  return readSession(tx, sessionId);
}

/** Moves a session into a lane, from wherever it was; the lane's present session ends `switched`. */
export async function moveInto(
  tx: Queries,
  place: LanePlace,
  target: SessionEntry,
  present: SessionEntry | null,
  now: number,
): Promise<SessionEntry> {
  if (present) await endSession(tx, present, "switched", now);
  await tx.run("DELETE FROM routes WHERE session_id = ? OR key = ?", target.sessionId, place.key);
  await setRoute(tx, place, target.sessionId);
  const { platform, chatType } = parseSessionKey(place.key);
  await tx.run(
    `UPDATE sessions SET key = ?, platform = ?, chat_type = ?, chat = ?, lane_owner = ?, origin = ?, display_name = ?,
       updated_at = ?, ended_at = NULL, end_reason = NULL, flushed_at = NULL WHERE id = ?`,
    place.key,
    platform,
    chatType,
    place.chat,
    place.owner,
    writeOrigin(place.origin),
    place.displayName,
    Math.max(now, target.updatedAt),
    target.sessionId,
  );
  tx.record({ kind: "session", sessionId: target.sessionId });
  return (await readSession(tx, target.sessionId)).entry;
}

/**
 * Binds a lane to a session; `from` is the lane that it was taken from, null where it was in no other. What waits in the lane
 * for this holder goes on in it.
 */
export async function bindSession(
  tx: Queries,
  dialect: Dialect,
  to: LanePlace | SessionKey,
  sessionId: SessionId,
  now: number,
  holder: string | undefined,
): Promise<{ entry: SessionEntry; from: SessionKey | null }> {
  const key = typeof to === "string" ? to : to.key;
  const { lane, target, from } = await lockMove(tx, dialect, key, sessionId);
  const present = lane?.session.entry ?? null;
  if (present?.sessionId === sessionId && present.endedAt === null) return { entry: present, from: null };
  if (await hasActiveHandoff(tx, sessionId)) {
    throw new ConflictError(
      "handoff_active",
      "This session is being handed off; wait for the outcome or cancel it.",
    );
  }
  if (present && holder !== undefined) await bindAnew(tx, key, { before: present, after: sessionId }, holder);
  const place = typeof to === "string" ? (lane?.place ?? placeOfKey(key)) : to;
  return { entry: await moveInto(tx, place, target, present, now), from: from === key ? null : from };
}

/**
 * This process gave the lane another session: what was written to it for the one before goes on in that one. What waits
 * for another process stays bound.
 */
export async function bindAnew(
  tx: Queries,
  key: SessionKey,
  { before, after }: { readonly before: SessionEntry; readonly after: SessionId },
  holder: string,
): Promise<void> {
  const meant = standsFor(before);
  await tx.run(
    `UPDATE inbox SET bound_to = ? WHERE key = ? AND owner = ? AND state = 'waiting' AND kind = 'message'
       AND bound_to IN (${meant.map(() => "?").join(", ")})`,
    after,
    key,
    holder,
    ...meant,
  );
}

/** What a key alone tells of its place: the chat; and so it is the chat's, not a person's. */
function placeOfKey(key: SessionKey): LanePlace {
  const { platform, chatType, parts } = parseSessionKey(key);
  const chatId = parts[0] || platform;
  const chat = `${platform}:${escapePart(chatId)}`;
  const threadId = chatType === "thread" || chatType === "dm" ? parts[1] : undefined;
  const origin: SessionSource = { platform, chatType, chatId, ...(threadId ? { threadId } : {}) };
  return { key, owner: ownerOfChat(chat), chat, origin, displayName: chatId };
}

export function placeOf(route: Row): LanePlace {
  return {
    key: text<SessionKey>(route.key),
    owner: text(route.owner),
    chat: text(route.chat),
    origin: source(route.origin),
    displayName: text(route.display_name),
  };
}

function routeValues(place: LanePlace, sessionId: SessionId): string[] {
  return [place.key, sessionId, place.owner, place.chat, writeOrigin(place.origin), place.displayName];
}
