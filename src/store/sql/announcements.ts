/** What the destination of a handoff is told before the session arrives, as it stands in the outbox. */

import type { Announcement, NewDelivery } from "../../gateway/store.js";
import { DELIVERY_STATES } from "../../gateway/store.js";
import { deliveryIdOf, type HandoffId } from "../../session/ids.js";
import { type Address, formatAddress } from "../../session/source.js";
import type { Queries } from "../db.js";
import { address, maybe, oneOf, text } from "./values.js";

/** Also one by a process of the version before, which wrote only its id. */
const OF_HANDOFF = "(handoff_id = ? AND kind = 'announcement' OR delivery_id = ?)";
const valuesOf = (handoffId: HandoffId) => [handoffId, deliveryIdOf(handoffId, "here")] as const;

/** The first part of it; null if nothing was announced there. */
export async function announcement(
  db: Queries,
  handoffId: HandoffId,
  to: Address,
): Promise<Announcement | null> {
  const sql = `SELECT state, error FROM outbox WHERE ${OF_HANDOFF} AND address = ? ORDER BY id LIMIT 1`;
  const row = await db.get(sql, ...valuesOf(handoffId), formatAddress(to));
  return row ? { state: oneOf(row.state, DELIVERY_STATES), error: maybe(row.error, text) } : null;
}

/** Takes back what was not sent yet. */
export async function withdraw(tx: Queries, handoffId: HandoffId, why: string): Promise<void> {
  const sql = `UPDATE outbox SET state = 'failed', error = ? WHERE ${OF_HANDOFF} AND state = 'pending'`;
  await tx.run(sql, why, ...valuesOf(handoffId));
}

/** These texts for the address that the announcement went to, if it did. Any process that has the account sends them. */
export async function retractions(
  tx: Queries,
  handoffId: HandoffId,
  texts: readonly string[],
): Promise<NewDelivery[]> {
  const row = await tx.get(
    `SELECT account, address FROM outbox WHERE ${OF_HANDOFF} AND state IN ('sending', 'sent', 'unknown') LIMIT 1`,
    ...valuesOf(handoffId),
  );
  if (!row) return [];
  const to = { account: text(row.account), address: address(row.address), holder: "" };
  return texts.map((text, n) => ({
    ...to,
    deliveryId: deliveryIdOf(handoffId, "back", n),
    purpose: "retraction",
    handoffId,
    text,
    sessionId: null,
    shown: false,
  }));
}
