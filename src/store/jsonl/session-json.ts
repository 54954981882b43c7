/**
 * A session as JSON, in snake_case as the files of older tools have it: the metadata line of an export and of the mirror,
 * and what an import of ours reads back (metadata-jsonl.ts).
 */
import { InputError } from "../../session/errors.js";
import { isSessionId, type SessionId } from "../../session/ids.js";
import type { SessionEntry } from "../../session/session.js";
import type { Sessions } from "../../session/sessions.js";
import { serializeSource } from "../../session/source.js";
import type { Fields } from "../../util/json.js";
import { timeText } from "./fields.js";

/** What the entry alone does not tell. */
export interface ExportStanding {
  /** How many of its active messages are summed up: places in a file start from 1, whatever was superseded. */
  readonly consolidated: number;
  /** Whether its key leads to it. */
  readonly current: boolean;
}

export async function standingOf(sessions: Sessions, entry: SessionEntry): Promise<ExportStanding> {
  return {
    consolidated: await countConsolidated(sessions, entry),
    current: await isCurrent(sessions, entry),
  };
}

export async function isCurrent(sessions: Sessions, entry: SessionEntry): Promise<boolean> {
  return (await sessions.current(entry.key))?.sessionId === entry.sessionId;
}

export async function countConsolidated(sessions: Sessions, entry: SessionEntry): Promise<number> {
  const { sessionId, consolidatedThrough } = entry;
  let count = 0;
  if (consolidatedThrough === 0) return count;
  for await (const page of sessions.pages(sessionId)) {
    const beyond = page.findIndex(({ seq }) => seq > consolidatedThrough);
    if (beyond >= 0) return count + beyond;
    count += page.length;
  }
  return count;
}

export function sessionJson(entry: SessionEntry, standing: ExportStanding): Fields {
  const { endedAt } = entry;
  return {
    key: entry.key,
    session_id: entry.sessionId,
    created_at: timeText(entry.createdAt),
    updated_at: timeText(entry.updatedAt),
    ...(entry.title === null ? {} : { title: entry.title }),
    display_name: entry.displayName,
    platform: entry.platform,
    chat_type: entry.chatType,
    origin: serializeSource(entry.origin),
    owner: entry.owner,
    chat: entry.chat,
    current: standing.current,
    ...(entry.parentId === null ? {} : { parent_id: entry.parentId }),
    ...(endedAt === null ? {} : { ended_at: timeText(endedAt), end_reason: entry.endReason }),
    input_tokens: entry.inputTokens,
    output_tokens: entry.outputTokens,
    cache_read_tokens: entry.cacheReadTokens,
    cache_write_tokens: entry.cacheWriteTokens,
    total_tokens: entry.totalTokens,
    estimated_cost_usd: entry.cost,
    last_consolidated: standing.consolidated,
    ...(entry.summary === null ? {} : { summary: entry.summary }),
    ...(entry.standing.length === 0 ? {} : { standing_instructions: entry.standing }),
    metadata: entry.metadata,
  };
}

/** The line that heads a transcript. */
export function metadataLine(entry: SessionEntry, standing: ExportStanding): Fields {
  return { _type: "metadata", ...sessionJson(entry, standing) };
}

/** A name that is safe in any folder: no other ids are taken in, but nothing becomes a path unchecked. */
export function sessionFileName(sessionId: SessionId, extension: string): string {
  if (!isSessionId(sessionId)) {
    throw new InputError("invalid_session_id", `${JSON.stringify(sessionId)} cannot be a file's name.`);
  }
  return `${sessionId}.${extension}`;
}
