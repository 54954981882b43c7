/**
 * What the agent is given for a turn: where it is, what is remembered about the people there, the summary of the
 * conversation's beginning, its last messages, and what jobs said before it. The bytes before the last messages are the
 * same from turn to turn, unless something in them changed: so a model's prompt cache works.
 */
import {
  buildSessionContext,
  buildSessionContextPrompt,
  buildSessionLabels,
  type SessionContext,
} from "../session/context.js";
import type { SessionEntry } from "../session/session.js";
import { isShared, type SessionScopes } from "../session/session-key.js";
import type { SessionSource } from "../session/source.js";
import type { Message } from "../session/transcript.js";
import { type Access, senderOf } from "./authorize.js";
import type { Common } from "./common.js";
import type { Homes } from "./homes.js";
import { earlierResults } from "./jobs/earlier-results.js";
import type { MemoryDesk } from "./memory/desk.js";
import type { Fitter } from "./memory/fitter.js";
import { turnMemory } from "./memory/turn-memory.js";
import type { Upkeep } from "./memory/upkeep.js";
import { type MemoryReader, rememberedFor } from "./memory/whose.js";
import { resetNote } from "./reset-words.js";
import type { Served } from "./served.js";
import type { InboxItem, Turn } from "./store.js";

export interface TurnContextSetting extends Pick<Common, "sessions" | "store"> {
  /** Jobs can be scheduled here. */
  readonly schedules: boolean;
  readonly scopes: SessionScopes;
  readonly homes: Pick<Homes, "all">;
  readonly served: Pick<Served, "platforms">;
  /** Null if nothing is summed up here. */
  readonly upkeep: Upkeep | null;
  /** Undefined if nothing is remembered about people. */
  readonly memory: MemoryDesk | undefined;
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
  const { sessions, store, scopes, upkeep, maxMessages } = setting;
  const { source } = item;
  const earlier = await earlierResults(store.jobRuns, turn, entry);
  const { messages, hasSummary, userSeqs } = await sessions.window(turn.sessionId, {
    maxMessages,
    from: turn.messageSeq,
  });
  const pinned = hasSummary ? 1 : 0;
  const history = [...messages.slice(0, pinned), ...earlier, ...messages.slice(pinned)];
  const shared = isShared(source, scopes) || hasOthers(history, who);
  const context = await placeOf(setting, source, shared, entry);
  const turnOfMemory = { who, source, entry, scopes, shared: shared || hasOtherPeople(history, who) };
  const { reader: memory, labels } = await turnMemory(
    setting.memory,
    buildSessionLabels(context),
    turnOfMemory,
  );
  const prompt = [buildSessionContextPrompt(context, { labels: false }), ...resetNote(entry)].join("\n\n");
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
    rememberedFor: rememberedFor(turnOfMemory),
  };
  const fitter = (await upkeep?.fitterFor(window, wish)) ?? null;
  return { prompt, labels, history, shared, fitter, memory };
}

/** Where the agent is, and which places it can reach from there: only platforms that are connected now. */
async function placeOf(
  { homes, served, schedules }: TurnContextSetting,
  source: SessionSource,
  shared: boolean,
  entry: SessionEntry,
): Promise<SessionContext> {
  const connected = await served.platforms();
  const homeChannels = (await homes.all()).filter(({ address }) => connected.has(address.platform));
  const place = { connectedPlatforms: [...connected], homeChannels, shared, schedules };
  return buildSessionContext(source, place, entry);
}

/** True if another person spoke in it before, whatever their rights: they may read it again. */
function hasOtherPeople(history: readonly Message[], who: Access): boolean {
  const theirs = who.allowed ? who.identities : [];
  return history.some(
    (message) => message.role === "user" && message.author && !theirs.includes(message.author.id),
  );
}

/** True if somebody with other rights spoke in it before: the conversation moved here from elsewhere. */
function hasOthers(history: readonly Message[], who: Access): boolean {
  const role = who.allowed ? who.role : undefined;
  return history.some((message) => message.role === "user" && message.author && message.author.role !== role);
}
