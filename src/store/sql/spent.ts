/** What a model took outside of a turn: for a summary, a title, or what is to be remembered. */
import type { ModelUses } from "../../memory/consolidations.js";
import type { SessionId } from "../../session/ids.js";
import { usageOfAll } from "../../session/session.js";
import type { Queries } from "../db.js";
import { appendIn } from "./transcript.js";
import { noteUsageIn } from "./usage.js";

/** What a model took counts for the session and for the person, whatever came of it. */
export async function addSpent(
  tx: Queries,
  sessionId: SessionId,
  { identity, uses }: ModelUses,
  now: number,
): Promise<void> {
  if (uses.length === 0) return;
  await appendIn(tx, { sessionId, messages: [], usage: usageOfAll(uses), touch: false, now });
  for (const use of uses) await noteUsageIn(tx, { ...use, sessionId, identity, at: now });
}
