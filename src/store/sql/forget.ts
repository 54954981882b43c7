/**
 * What goes with a session, and what the gateway needs no longer: what was asked, answered, started and said. Everything that
 * removes a session does it by `forgetSession`: a new table with rows of a session has its line there, and a test in
 * erasure.test.ts fails until it has.
 */
import type { SessionId } from "../../session/ids.js";
import type { Queries } from "../db.js";
import type { SearchIndex } from "../search-index.js";
import { forgetSummaries } from "./summaries.js";
import { number } from "./values.js";

/** Removes a session with all its rows. Nothing runs in it. Returns how many messages it had. */
export async function forgetSession(tx: Queries, index: SearchIndex, sessionId: SessionId): Promise<number> {
  await tx.run("DELETE FROM routes WHERE session_id = ?", sessionId); // A lane whose session has expired begins a fresh one.
  await index.forget(tx, sessionId);
  const messages = await tx.run("DELETE FROM messages WHERE session_id = ?", sessionId);
  await tx.run("DELETE FROM handoffs WHERE session_id = ?", sessionId); // Its `moves` go with it, by the foreign key.
  await tx.run("DELETE FROM limit_notices WHERE session_id = ?", sessionId);
  await forgetSummaries(tx, sessionId);
  await forgetJourney(tx, sessionId);
  await tx.run("DELETE FROM sessions WHERE id = ?", sessionId);
  tx.record({ kind: "session", sessionId });
  return messages;
}

async function forgetJourney(tx: Queries, sessionId: SessionId): Promise<void> {
  const items = await tx.all("SELECT inbox_id FROM turns WHERE session_id = ?", sessionId);
  await tx.run("DELETE FROM turns WHERE session_id = ?", sessionId);
  for (const { inbox_id } of items) await tx.run("DELETE FROM inbox WHERE id = ?", number(inbox_id));
  await tx.run("DELETE FROM outbox WHERE session_id = ?", sessionId);
  await tx.run("DELETE FROM web_posts WHERE session_id = ?", sessionId);
  await tx.run("DELETE FROM processes WHERE session_id = ? AND state = 'ended'", sessionId);
}

/** Commands and what they said, also in the page, messages that joined the turn of another or moved: they are of no session. */
export async function forgetSessionless(tx: Queries, before: number, limit: number): Promise<number> {
  const came = await tx.run(
    `DELETE FROM inbox WHERE id IN (SELECT id FROM inbox i WHERE received_at < ? AND state NOT IN ('waiting', 'running')
       AND NOT EXISTS (SELECT 1 FROM turns t WHERE t.inbox_id = i.id) LIMIT ?)`,
    before,
    limit,
  );
  const said = await tx.run(
    `DELETE FROM outbox WHERE id IN (SELECT id FROM outbox
       WHERE created_at < ? AND session_id IS NULL AND state NOT IN ('pending', 'sending') LIMIT ?)`,
    before,
    limit,
  );
  const posted = await tx.run(
    "DELETE FROM web_posts WHERE id IN (SELECT id FROM web_posts WHERE at < ? AND session_id IS NULL LIMIT ?)",
    before,
    limit,
  );
  return Math.max(came, said, posted);
}
