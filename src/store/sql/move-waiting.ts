/** Messages that wait for an answer follow their conversation into its new lane. */
import type { SessionKey } from "../../session/session-key.js";
import type { Answerer, LanePlace } from "../../session/store.js";
import type { Dialect, Queries } from "../db.js";
import { columnsOf } from "./columns.js";
import { inboxItem, insertItem } from "./inbox.js";
import { noteMove } from "./job-runs.js";

/**
 * The same messages, answered elsewhere; the old rows stay, so that none is accepted a second time. A message that only
 * asks the agent to confirm that it is here stays behind for good.
 */
export async function moveWaiting(
  tx: Queries,
  dialect: Dialect,
  from: SessionKey,
  { key, origin }: LanePlace,
  { account, holder }: Answerer,
): Promise<void> {
  const rows = await tx.all(
    `SELECT ${columnsOf("inbox")} FROM inbox WHERE key = ? AND state = 'waiting' AND kind = 'message' ORDER BY id
     ${dialect.forUpdate("inbox")}`,
    from,
  );
  for (const item of rows.map(inboxItem)) {
    await tx.run("UPDATE inbox SET state = 'moved' WHERE id = ?", item.id);
    if (item.made === "handoff") continue;
    const by = item.by ?? item.source;
    const there = { platform: origin.platform, account, key, source: origin, by };
    const { boundTo: _, ...free } = item; // It comes along with the session that it is for.
    const moved = { ...free, ...there, made: "moved", messageId: `${item.id}` } as const;
    const kept = await insertItem(tx, moved, holder, item.receivedAt);
    if (kept && item.inBackground) await noteMove(tx, item.id, kept.id);
  }
}
