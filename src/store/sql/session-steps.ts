/** The small steps on a session's row that larger ones are made of. All run inside a transaction. */

import { sessionNotFound } from "../../session/errors.js";
import type { SessionId } from "../../session/ids.js";
import type { ResetReason } from "../../session/reset-policy.js";
import type { EndReason, SessionEntry } from "../../session/session.js";
import { parseSessionKey } from "../../session/session-key.js";
import type { NewSession } from "../../session/store.js";
import { shorten } from "../../util/text.js";
import type { Queries } from "../db.js";
import { columnsOf } from "./columns.js";
import { type SessionRow, sessionRow, writeOrigin } from "./rows.js";
import { text } from "./values.js";

export async function readSession(tx: Queries, sessionId: SessionId, forUpdate = ""): Promise<SessionRow> {
  const row = await tx.get(
    `SELECT ${columnsOf("sessions")} FROM sessions WHERE id = ? ${forUpdate}`,
    sessionId,
  );
  if (!row) throw sessionNotFound(sessionId);
  return sessionRow(row);
}

export async function insertSession(
  tx: Queries,
  fresh: NewSession,
  begin: { now: number; parentId: SessionId | null; resetReason: ResetReason | null; count: number },
): Promise<void> {
  const { platform, chatType } = parseSessionKey(fresh.key);
  await tx.run(
    `INSERT INTO sessions (id, key, owner, lane_owner, chat, platform, chat_type, origin, display_name, created_at, updated_at,
       parent_id, reset_reason, next_seq, message_count) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    fresh.sessionId,
    fresh.key,
    fresh.owner,
    fresh.owner,
    fresh.chat,
    platform,
    chatType,
    writeOrigin(fresh.origin),
    fresh.displayName,
    begin.now,
    begin.now,
    begin.parentId,
    begin.resetReason,
    1 + begin.count,
    begin.count,
  );
  tx.record({ kind: "session", sessionId: fresh.sessionId });
}

export async function endSession(
  tx: Queries,
  entry: SessionEntry,
  reason: EndReason,
  now: number,
): Promise<void> {
  if (entry.endedAt !== null) return;
  await tx.run("UPDATE sessions SET ended_at = ?, end_reason = ? WHERE id = ?", now, reason, entry.sessionId);
  tx.record({ kind: "session", sessionId: entry.sessionId });
}

/** A session that a policy ended goes on if somebody uses it before its lane has another one. */
export async function reopen(tx: Queries, sessionId: SessionId): Promise<void> {
  await tx.run(
    `UPDATE sessions SET ended_at = NULL, end_reason = NULL WHERE id = ? AND end_reason IN ('idle', 'daily')
       AND EXISTS (SELECT 1 FROM routes r WHERE r.session_id = sessions.id)`,
    sessionId,
  );
}

/** Who of this owner's other sessions has the title. */
export async function titleHolder(
  tx: Queries,
  owner: string,
  title: string,
  except: string,
): Promise<string | null> {
  const row = await tx.get(
    "SELECT id FROM sessions WHERE owner = ? AND title = ? AND id <> ?",
    owner,
    title,
    except,
  );
  return row ? text(row.id) : null;
}

/** The title, or the first free one with a number behind it. */
export async function freeTitle(
  tx: Queries,
  owner: string,
  title: string,
  sessionId: SessionId,
): Promise<string> {
  let free = title;
  for (let n = 2; (await titleHolder(tx, owner, free, sessionId)) !== null; n++) {
    // Many of one name come from a program that gives everything that name: then the id tells them apart.
    free = n < 10 ? `${shorten(title, 92)} (${n})` : `${shorten(title, 80)} (${sessionId.slice(-12)})`;
  }
  return free;
}
