/**
 * What belongs to others and names a person: who began a group's conversation, a conversation of others that is in the
 * person's lane, handoffs that they asked for, home channels, and jobs whose conversation or results went to them.
 */
import type { ErasedPerson, Hear } from "../../gateway/erasure.js";
import { chatOwning, partsOfIdentity, personOf } from "../../session/access.js";
import type { JobId, SessionId } from "../../session/ids.js";
import { keyUnder } from "../../session/key-source.js";
import { LOCAL } from "../../session/platform.js";
import { agentIn } from "../../session/rescope.js";
import { buildSessionKey, parseSessionKey, type SessionKey } from "../../session/session-key.js";
import type { SessionSource } from "../../session/source.js";
import type { Db, Queries, Row } from "../db.js";
import { pauseJob } from "./jobs.js";
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
): Promise<void> {
  const owners = ownersOf(whose);
  await db.run(
    `UPDATE sessions SET parent_id = NULL WHERE owner NOT IN (${marks(owners)})
       AND parent_id IN (SELECT id FROM sessions WHERE owner IN (${marks(owners)}))`,
    ...owners,
    ...owners,
  );
  // Before the routes: by these the next erase knows the places, if this one is cut off.
  await db.transaction(async (tx) => {
    await eraseHandoffs(tx, whose, places, hear);
    await eraseAddresses(tx, places);
    await eraseFromJobs(tx, whose, places, now, hear);
    const keys = [...places.keys];
    if (keys.length > 0)
      await tx.run(`DELETE FROM standing_approvals WHERE lane IN (${marks(keys)})`, ...keys);
  });
  await eraseFromSessions(db, whose, now, hear);
  await eraseFromRoutes(db, whose, hear);
}

async function eraseFromSessions(db: Db, whose: ErasedPerson, now: number, hear: Hear): Promise<void> {
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
      await db.transaction(async (tx) => {
        if (isMoved) await takeOut(tx, row, now, hear);
        else await withoutAuthor(tx, "sessions", row, hear);
        await tx.run("UPDATE sessions SET erased_at = ? WHERE id = ?", now, text(row.id));
      });
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
    names(chats, text(row.target)) ||
    asked(row);
  for (const row of rows.filter(isTheirs)) {
    hear("id", text(row.id));
    await tx.run("DELETE FROM handoffs WHERE id = ?", text(row.id));
  }
}

/** Whether an address, as people write it, is in one of these chats. */
function names(chats: ReadonlySet<string>, written: string): boolean {
  return [...chats].some((chat) => written === chat || written.startsWith(`${chat}:`));
}

/**
 * Jobs of others whose conversation was handed off: into a private chat of the person, and then they are again where they were
 * asked for, and paused; or into a group in which only the source names the person.
 */
async function eraseFromJobs(
  tx: Queries,
  whose: ErasedPerson,
  places: PrivatePlaces,
  now: number,
  hear: Hear,
): Promise<void> {
  const { identities } = whose;
  const rows = await tx.all(
    `SELECT id, source, origin_key, origin_source FROM jobs WHERE owner NOT IN (${marks(identities)})`,
    ...identities,
  );
  for (const row of rows) {
    const [id, key] = [text<JobId>(row.id), text<SessionKey>(row.origin_key)];
    const origin = sourceOfAnyPlatform(row.origin_source);
    const isMoved = places.keys.has(key) || isIn(places, origin);
    if (!isMoved && !wrote(whose, origin)) continue;
    if (origin.userName) hear("words", origin.userName);
    const place = isMoved ? sourceOfAnyPlatform(row.source) : withoutPeople(origin);
    await tx.run(
      "UPDATE jobs SET origin_key = ?, origin_source = ?, version = version + 1 WHERE id = ?",
      (isMoved ? keyUnder(place, { agent: agentIn(key) }) : null) ?? key,
      writeOrigin(place),
      id,
    );
    if (isMoved) await pauseJob(tx, id, "the chat that it was in is gone", now);
    tx.record({ kind: "jobs" });
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
  // A target that could not be reached has no address.
  for (const row of await tx.all("SELECT DISTINCT target, address FROM job_results")) {
    const target = text(row.target);
    if (names(places.chats, target)) await tx.run("DELETE FROM job_results WHERE target = ?", target);
    else if (row.address !== null && isIn(places, address(row.address)))
      await tx.run("DELETE FROM job_results WHERE address = ?", text(row.address));
  }
}
