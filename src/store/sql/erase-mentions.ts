/**
 * What belongs to others and names a person: who began a group's conversation, a conversation of others that is in the
 * person's lane, handoffs that they asked for, home channels and results of jobs that went to them.
 */
import type { ErasedPerson, Hear } from "../../gateway/erasure.js";
import { chatOwning, partsOfIdentity, personOf } from "../../session/access.js";
import type { SessionId } from "../../session/ids.js";
import { LOCAL } from "../../session/platform.js";
import { buildSessionKey, parseSessionKey, type SessionKey } from "../../session/session-key.js";
import type { SessionSource } from "../../session/source.js";
import type { Db, Queries, Row } from "../db.js";
import { isIn, marks, ownersOf, type PrivatePlaces, withoutPeople, wrote } from "./of-person.js";
import { writeOrigin } from "./rows.js";
import { address, json, maybe, sourceOfAnyPlatform, text } from "./values.js";

const PAGE = 500;

export async function eraseMentions(
  db: Db,
  whose: ErasedPerson,
  places: PrivatePlaces,
  now: number,
  hear: Hear,
  changed: Set<SessionId>,
): Promise<void> {
  const owners = ownersOf(whose);
  await db.run(
    `UPDATE sessions SET parent_id = NULL WHERE owner NOT IN (${marks(owners)})
       AND parent_id IN (SELECT id FROM sessions WHERE owner IN (${marks(owners)}))`,
    ...owners,
    ...owners,
  );
  await eraseFromSessions(db, whose, now, hear, changed);
  await eraseFromRoutes(db, whose, hear);
  await db.transaction(async (tx) => {
    await eraseHandoffs(tx, whose, places, hear);
    await eraseAddresses(tx, places);
    const keys = [...places.keys];
    if (keys.length > 0)
      await tx.run(`DELETE FROM standing_approvals WHERE lane IN (${marks(keys)})`, ...keys);
  });
}

async function eraseFromSessions(
  db: Db,
  whose: ErasedPerson,
  now: number,
  hear: Hear,
  changed: Set<SessionId>,
): Promise<void> {
  const owners = ownersOf(whose);
  let after = "";
  for (;;) {
    const rows = await db.all(
      `SELECT id, key, owner, lane_owner, origin, display_name FROM sessions
       WHERE id > ? AND owner NOT IN (${marks(owners)}) ORDER BY id LIMIT ?`,
      after,
      ...owners,
      PAGE,
    );
    for (const row of rows) {
      const isMoved = owners.includes(text(row.lane_owner));
      if (!isMoved && !wrote(whose, sourceOfAnyPlatform(row.origin))) continue;
      const sessionId = text<SessionId>(row.id);
      await db.transaction((tx) =>
        isMoved ? takeOut(tx, row, now, hear) : withoutAuthor(tx, "sessions", row, hear),
      );
      changed.add(sessionId);
    }
    if (rows.length < PAGE) return;
    after = text(rows.at(-1)?.id);
  }
}

/** A session of others ends in the person's lane, and is again where its owner is. */
async function takeOut(tx: Queries, row: Row, now: number, hear: Hear): Promise<void> {
  const sessionId = text<SessionId>(row.id);
  hear("words", text(row.display_name));
  const { key, chat, origin, displayName } = placeOfOwner(text(row.owner), text<SessionKey>(row.key));
  await tx.run("DELETE FROM routes WHERE session_id = ?", sessionId);
  await tx.run(
    `UPDATE sessions SET key = ?, chat = ?, platform = ?, chat_type = ?, origin = ?, display_name = ?, lane_owner = owner,
       ended_at = coalesce(ended_at, ?), end_reason = coalesce(end_reason, 'ended') WHERE id = ?`,
    key,
    chat,
    origin.platform,
    origin.chatType,
    writeOrigin(origin),
    displayName,
    now,
    sessionId,
  );
  tx.record({ kind: "session", sessionId });
}

/** What the owner of a session says of its place: the chat, or the private chat of a person. */
function placeOfOwner(owner: string, key: SessionKey) {
  const chat = chatOwning({ owner }) ?? personOf({ owner }) ?? owner;
  const { platform, id } = partsOfIdentity(chat) ?? { platform: LOCAL, id: chat };
  const origin: SessionSource = {
    platform,
    chatId: id,
    chatType: personOf({ owner }) === null ? "group" : "dm",
  };
  const { agent } = parseSessionKey(key);
  return { key: buildSessionKey(origin, { agent }), chat, origin, displayName: id };
}

async function withoutAuthor(tx: Queries, table: "sessions" | "routes", row: Row, hear: Hear): Promise<void> {
  const origin = sourceOfAnyPlatform(row.origin);
  if (origin.userName) hear("words", origin.userName);
  const by = table === "sessions" ? "id" : "key";
  const set = `UPDATE ${table} SET origin = ? WHERE ${by} = ?`;
  await tx.run(set, writeOrigin(withoutPeople(origin)), text(row[by]));
}

async function eraseFromRoutes(db: Db, whose: ErasedPerson, hear: Hear): Promise<void> {
  const owners = ownersOf(whose);
  const rows = await db.all(
    `SELECT key, origin FROM routes WHERE owner NOT IN (${marks(owners)})`,
    ...owners,
  );
  for (const row of rows.filter(({ origin }) => wrote(whose, sourceOfAnyPlatform(origin))))
    await db.transaction((tx) => withoutAuthor(tx, "routes", row, hear));
}

/** Handoffs that they asked for, or that came from a lane of theirs or went to one. */
async function eraseHandoffs(
  tx: Queries,
  whose: ErasedPerson,
  { keys, chats }: PrivatePlaces,
  hear: Hear,
): Promise<void> {
  const rows = await tx.all(
    `SELECT h.id, h.from_key, h.target, m.asker, m.destination_key FROM handoffs h LEFT JOIN moves m ON m.handoff_id = h.id`,
  );
  const asked = ({ asker }: Row): boolean =>
    asker != null &&
    wrote(whose, sourceOfAnyPlatform(JSON.stringify(json<{ source: unknown }>(asker).source)));
  const isTheirs = (row: Row): boolean =>
    [row.from_key, row.destination_key].some((key) => keys.has(maybe(key ?? null, text) ?? "")) ||
    [...chats].some((chat) => row.target === chat || text(row.target).startsWith(`${chat}:`)) ||
    asked(row);
  for (const row of rows.filter(isTheirs)) {
    hear("id", text(row.id));
    await tx.run("DELETE FROM handoffs WHERE id = ?", text(row.id));
  }
}

/** Where results of other people's jobs went, and home channels: their private chats are none any more. */
async function eraseAddresses(tx: Queries, places: PrivatePlaces): Promise<void> {
  for (const [table, by] of [
    ["home_channels", "platform"],
    ["named_homes", "word"],
  ] as const)
    for (const row of await tx.all(`SELECT ${by}, address FROM ${table}`))
      if (isIn(places, address(row.address)))
        await tx.run(`DELETE FROM ${table} WHERE ${by} = ?`, text(row[by]));
  const results = await tx.all("SELECT DISTINCT address FROM job_results WHERE address IS NOT NULL");
  for (const row of results)
    if (isIn(places, address(row.address)))
      await tx.run("DELETE FROM job_results WHERE address = ?", text(row.address));
}
