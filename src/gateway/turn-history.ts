/** What the agent is given of a conversation: the summary of its beginning, its last messages, and what jobs said before it. */
import type { SessionEntry } from "../session/session.js";
import type { Message } from "../session/transcript.js";
import type { Common } from "./common.js";
import { earlierResults } from "./jobs/earlier-results.js";
import type { Fitter } from "./memory/fitter.js";
import type { Upkeep } from "./memory/upkeep.js";
import type { Turn } from "./store.js";

export interface TurnHistorySetting extends Pick<Common, "sessions" | "store"> {
  readonly upkeep: Upkeep | null;
  readonly maxMessages: number;
}

export interface TurnHistory {
  readonly messages: readonly Message[];
  readonly fitter: Fitter | null;
}

/** What a summary of this turn's conversation needs. */
export interface TurnAsker {
  readonly identity: string;
  readonly model?: string;
  readonly beforeCall: () => Promise<void>;
}

export async function turnHistory(
  { sessions, store, upkeep, maxMessages }: TurnHistorySetting,
  { turn, entry }: { readonly turn: Turn; readonly entry: SessionEntry },
  asker: TurnAsker,
): Promise<TurnHistory> {
  const earlier = await earlierResults(store.jobRuns, turn, entry);
  const { messages, hasSummary, userSeqs } = await sessions.window(turn.sessionId, { maxMessages });
  const pinned = hasSummary ? 1 : 0;
  const all = [...messages.slice(0, pinned), ...earlier, ...messages.slice(pinned)];
  const { sessionId } = turn;
  // What no person asked for does not make a conversation shorter by its number of messages: jobs see few anyway.
  const most = turn.touches ? maxMessages : Number.POSITIVE_INFINITY;
  const window = { sessionId, pinned, length: all.length, userSeqs, maxMessages: most };
  return { messages: all, fitter: (await upkeep?.fitterFor(window, asker)) ?? null };
}
