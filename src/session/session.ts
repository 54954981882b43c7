/**
 * A session is one stretch of memory under a key. A reset starts another one; the old one can still be read and
 * resumed. The record stays small: features have their own tables, keyed by session id.
 */
import { cleanLine } from "../util/text.js";
import { checkText } from "./check-text.js";
import { InputError } from "./errors.js";
import type { SessionId } from "./ids.js";
import type { Platform } from "./platform.js";
import type { ResetReason } from "./reset-policy.js";
import type { SessionKey } from "./session-key.js";
import type { ChatType, SessionSource } from "./source.js";

/** Why a session ended. The first reason wins; reopening clears it. */
export type EndReason = (typeof END_REASONS)[number];

export const END_REASONS = ["idle", "daily", "reset", "switched", "ended"] as const;

export interface SessionEntry {
  /** The lane this session is bound to, or was bound to last. */
  readonly key: SessionKey;
  readonly sessionId: SessionId;
  readonly createdAt: number;
  /** Last activity of a person or their turn; the idle clock. */
  readonly updatedAt: number;
  readonly origin: SessionSource;
  readonly displayName: string;
  readonly platform: Platform;
  readonly chatType: ChatType;
  readonly title: string | null;
  /** Whose session it is: `person:<identity>` or `chat:<chat>`. See access.ts. */
  readonly owner: string;
  /** The owner of the lane that it is in; somebody else's after a move. */
  readonly laneOwner: string;
  /** The chat it lives in. */
  readonly chat: string;
  /** The session this one followed after a reset. */
  readonly parentId: SessionId | null;
  readonly endedAt: number | null;
  readonly endReason: EndReason | null;
  /** True only in the result of the call that reset the session by policy, so that it is announced once. */
  readonly wasAutoReset: boolean;
  /** The policy that started this session; stays set. */
  readonly resetReason: ResetReason | null;
  readonly messageCount: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  readonly totalTokens: number;
  /** In US dollars, as reported by the agent. */
  readonly cost: number;
  /** `summary` covers the messages up to this `seq`, and replaces them in the model's window. Without one, nothing is hidden. */
  readonly consolidatedThrough: number;
  readonly summary: string | null;
  /** What people asked for in those messages as long as the conversation lasts, word for word. */
  readonly standing: readonly string[];
  /** Belongs to the embedding program. */
  readonly metadata: Metadata;
}

/** A small JSON object, at most 16 KB. */
export type Metadata = Readonly<Record<string, unknown>>;

/** What a turn cost; every field is added to the session's total. */
export interface Usage {
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly cacheReadTokens?: number;
  readonly cacheWriteTokens?: number;
  readonly cost?: number;
}

/** What one call of a model used. Without a cost, its price is not known. */
export interface ModelUse {
  /** As its provider names it; absent if the agent does not say. */
  readonly model?: string;
  readonly usage: Usage;
}

/** A change to a session: usage is added, the rest is set. */
export interface SessionPatch extends Usage {
  readonly metadata?: Metadata;
  readonly consolidatedThrough?: number;
  readonly summary?: string | null;
  readonly standing?: readonly string[];
}

/** The patch with every number of usage, checked. */
export function checkPatch(patch: SessionPatch): SessionPatch & Required<Usage> {
  const { metadata, consolidatedThrough: cursor, summary, standing } = patch;
  if (metadata !== undefined) serializeMetadata(metadata);
  if (cursor !== undefined && !(Number.isSafeInteger(cursor) && cursor >= 0)) {
    throw new InputError("invalid_message", "consolidatedThrough must be the seq of a message, or 0.");
  }
  if (summary !== undefined && summary !== null) checkText(summary, "summary");
  for (const words of standing ?? []) checkText(words, "standing");
  return {
    ...completeUsage(patch),
    ...(metadata === undefined ? {} : { metadata }),
    ...(cursor === undefined ? {} : { consolidatedThrough: cursor }),
    ...(summary === undefined ? {} : { summary }),
    ...(standing === undefined ? {} : { standing }),
  };
}

/** What is for one of these sessions is for this one: itself, and the one in whose place a policy began it. */
export function standsFor({
  sessionId,
  resetReason,
  parentId,
}: Pick<SessionEntry, "sessionId" | "parentId" | "resetReason">): readonly SessionId[] {
  return resetReason !== null && parentId !== null ? [sessionId, parentId] : [sessionId];
}

const MAX_TITLE = 100;
const MAX_METADATA = 16_384;

/** One line without control or invisible characters; null if nothing is left. */
export function cleanTitle(text: string): string | null {
  const title = cleanLine(text);
  if ([...title].length > MAX_TITLE) {
    throw new InputError(
      "title_too_long",
      `A title can have at most ${MAX_TITLE} characters; this one has ${[...title].length}.`,
    );
  }
  return title || null;
}

/** The JSON of a metadata object, checked. */
export function serializeMetadata(metadata: Metadata): string {
  const json = jsonOf(metadata);
  if (!json?.startsWith("{") || json.length > MAX_METADATA) {
    throw new InputError(
      "invalid_metadata",
      `Session metadata must be a JSON object of at most ${MAX_METADATA} characters.`,
    );
  }
  return json;
}

/** Undefined if JSON has no form for it, as for a circle or a BigInt. */
function jsonOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}

const USAGE_FIELDS = ["inputTokens", "outputTokens", "cacheReadTokens", "cacheWriteTokens", "cost"] as const;

/** Usage with every field present, checked: a negative or broken number never enters a total. */
export function completeUsage(usage: Usage = {}): Required<Usage> {
  const complete = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, cost: 0 };
  for (const field of USAGE_FIELDS) {
    const value = usage[field] ?? 0;
    const whole = field === "cost" || Number.isSafeInteger(value);
    if (!whole || !Number.isFinite(value) || value < 0) {
      throw new InputError(
        "invalid_usage",
        `${field} must be a number of zero or more, not ${String(value)}.`,
      );
    }
    complete[field] = value;
  }
  return complete;
}

/** All of these together. */
export function usageOfAll(uses: readonly ModelUse[]): Required<Usage> {
  const sum = { ...completeUsage() };
  for (const { usage } of uses) {
    const each = completeUsage(usage);
    for (const field of USAGE_FIELDS) sum[field] += each[field];
  }
  return sum;
}

/** Tokens of every kind, as the limits count them. */
export function tokensIn(usage: Usage): number {
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = completeUsage(usage);
  return inputTokens + outputTokens + cacheReadTokens + cacheWriteTokens;
}

/** What people call the chat, or null if the source has only ids. */
export function nameIn(source: SessionSource): string | null {
  const name = source.chatType === "dm" ? source.userName || source.chatName : source.chatName;
  return (
    cleanLine(name ?? "")
      .slice(0, 200)
      .toWellFormed() || null
  );
}

/** What people call the chat; its id if it has no name. */
export function displayNameOf(source: SessionSource): string {
  return (
    nameIn(source) ?? cleanLine(source.chatType === "dm" ? source.userId || source.chatId : source.chatId)
  );
}
