/**
 * What the agent is given for a turn: where it is, what is remembered about the people there, the summary of the
 * conversation's beginning, its last messages, and what jobs said before it. The bytes before the last messages are the
 * same from turn to turn, unless something in them changed: so a model's prompt cache works.
 */
import { withDays } from "../session/civil-day.js";
import type { SessionEntry } from "../session/session.js";
import type { SessionScopes } from "../session/session-key.js";
import type { Message } from "../session/transcript.js";
import { type Access, senderOf } from "./authorize.js";
import type { Common } from "./common.js";
import { earlierResults } from "./jobs/earlier-results.js";
import type { Fitter } from "./memory/fitter.js";
import type { Upkeep } from "./memory/upkeep.js";
import { type MemoryReader, rememberedFor } from "./memory/whose.js";
import type { InboxItem, Turn } from "./store.js";
import type { Told } from "./told.js";

export interface TurnContextSetting extends Pick<Common, "sessions" | "store"> {
  readonly scopes: SessionScopes;
  readonly told: Pick<Told, "in">;
  /** Null if nothing is summed up here. */
  readonly upkeep: Upkeep | null;
  readonly maxMessages: number;
}

/** A turn that has begun: the message that it answers, its session, and its author. */
export interface Begun {
  readonly item: InboxItem;
  readonly turn: Turn;
  readonly entry: SessionEntry;
  readonly who: Access;
}

/** What a summary of this turn's conversation needs. */
export interface TurnAsker {
  readonly model?: string;
  readonly beforeCall: () => Promise<void>;
}

export interface TurnContext {
  readonly prompt: string;
  readonly labels: string | null;
  readonly history: readonly Message[];
  /** True if several people speak in the session. */
  readonly shared: boolean;
  /** Null if the agent has no window that requests must fit into. */
  readonly fitter: Fitter | null;
  /** Null if nobody's memory may be read or changed in it. */
  readonly memory: MemoryReader | null;
}

export async function turnContext(
  setting: TurnContextSetting,
  { item, turn, entry, who }: Begun,
  asker: TurnAsker,
): Promise<TurnContext> {
  const { sessions, store, scopes, told, upkeep, maxMessages } = setting;
  const { source } = item;
  const earlier = await earlierResults(store.jobRuns, turn, entry);
  const { messages, hasSummary, userSeqs, userTimes } = await sessions.window(turn.sessionId, {
    maxMessages,
    from: turn.messageSeq,
  });
  const pinned = hasSummary ? 1 : 0;
  const all = [...messages.slice(0, pinned), ...earlier, ...messages.slice(pinned)];
  const history = withDays(all, userTimes, entry.createdAt, sessions.timezone);
  const parts = await told.in({ source, entry, who, history });
  const { prompt, labels, shared, memory } = parts;
  // What no person asked for does not make a conversation shorter by its number of messages: jobs see few anyway.
  const most = turn.touches ? maxMessages : Number.POSITIVE_INFINITY;
  const window = {
    sessionId: turn.sessionId,
    pinned,
    length: history.length,
    userSeqs,
    maxMessages: most,
  };
  const wish = {
    ...asker,
    identity: senderOf(item.by ?? source) ?? "",
    rememberedFor: rememberedFor({ who, source, entry, scopes, shared: parts.hasOthers }),
  };
  const fitter = (await upkeep?.fitterFor(window, wish)) ?? null;
  return { prompt, labels, history, shared, fitter, memory };
}
