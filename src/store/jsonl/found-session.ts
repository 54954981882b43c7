/**
 * A session found in a source, made ready to be adopted. Every format gives what it has; here the rest is decided:
 * the id that stays the same from import to import, times where the source has none, a title that fits, and the note
 * in `metadata.imported` that says where the session came from.
 */
import { createHash } from "node:crypto";
import { withoutUnsaved } from "../../gateway/terminals/unsaved.js";
import { InputError } from "../../session/errors.js";
import { isSessionId, type SessionId, sessionIdAt } from "../../session/ids.js";
import { type EndReason, serializeMetadata } from "../../session/session.js";
import type { AdoptedSession } from "../../session/store.js";
import { type Message, parseMessage } from "../../session/transcript.js";
import type { ImportFormat } from "../../session/transfer.js";
import { type Fields, isFields, isTooDeep } from "../../util/json.js";
import { cleanLine, shorten } from "../../util/text.js";
import type { ImportContext } from "./context.js";
import { amountIn, countIn, textIn, textsIn, timeIn } from "./fields.js";
import type { ImportPlace } from "./place.js";
import type { Problems } from "./problems.js";
import type { ReadTranscript } from "./tree-transcript.js";

export interface FoundSession {
  /** Where it was found, for problems and notes. */
  readonly file: string;
  readonly session: AdoptedSession;
  readonly messages: readonly Message[];
  /** The platform that the source names, if Baton does not know it. */
  readonly unknownPlatform?: string;
  /** What the report says of it. */
  readonly note?: string;
}

/** A session that seems to be in a source: reading it may fail, and that costs only this one. */
export interface PendingSession {
  /** Where it is, for problems. */
  readonly file: string;
  /** Null if nothing of it can come in. Then it has said why. */
  read(): Promise<FoundSession | null>;
}

/** A source of sessions: one of the formats, opened. */
export interface ImportSource {
  readonly format: ImportFormat;
  /** The folder or the file. */
  readonly path: string;
  /** The newest of a key comes first, since the first to come is bound to it. */
  readonly sessions: readonly PendingSession[];
  close(): Promise<void>;
}

export interface Findings {
  readonly format: ImportFormat;
  readonly file: string;
  /** The source's own id or key of the session. */
  readonly originalId: string;
  /** Kept where it can be kept; derived from `originalId` otherwise. */
  readonly sessionId?: SessionId;
  readonly place: ImportPlace;
  readonly bind: boolean;
  readonly transcript: ReadTranscript;
  /** In place of times that the source does not have. */
  readonly modifiedAt: number;
  readonly createdAt?: number;
  readonly updatedAt?: number;
  readonly endedAt?: number;
  readonly endReason?: string;
  readonly parentId?: SessionId;
  readonly title?: string;
  readonly displayName?: string;
  readonly summary?: string;
  readonly standing?: unknown;
  /** How many of the source's messages are summed up. */
  readonly consolidated?: number;
  /** Has input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, estimated_cost_usd. */
  readonly usage?: Fields;
  readonly metadata?: unknown;
  /** One of our own, coming home: its metadata is kept as it is. */
  readonly ours?: boolean;
  /** What the report says of it. */
  readonly note?: string;
}

export function foundSession(found: Findings, { problems, now }: ImportContext): FoundSession {
  const { transcript, file, parentId } = found;
  const { unknownPlatform, note: guess, ...place } = found.place;
  if ([place.key, place.owner, place.chat].some((id) => id.length > LONGEST_ID))
    throw new InputError(
      "import_unreadable",
      `Its key, chat or owner has more than ${LONGEST_ID} characters.`,
    );
  const note = [guess, found.note].filter((each) => each !== undefined).join(" ");
  const firstTime = transcript.messages.find(({ at }) => at !== undefined)?.at;
  const messages = found.ours ? transcript.messages : transcript.messages.map((each) => believed(each, now));
  const { createdAt, updatedAt, endedAt } = momentsOf(found, messages, now);
  const title = shortTitle(found.title);
  const hidden = hiddenBy(found);
  const displayName = cleanLine(found.displayName ?? "")
    .slice(0, 200)
    .toWellFormed();
  return {
    file,
    ...(unknownPlatform === undefined ? {} : { unknownPlatform }),
    ...(note ? { note } : {}),
    session: {
      ...place,
      sessionId: found.sessionId ?? idFor(found.originalId, found.createdAt ?? firstTime),
      ...(displayName ? { displayName } : {}),
      createdAt,
      updatedAt,
      ...(endedAt === undefined ? {} : { endedAt, endReason: endReasonOf(found.endReason) }),
      ...(parentId === undefined ? {} : { parentId }),
      ...(title ? { title } : {}),
      ...(found.summary && (hidden > 0 || found.ours)
        ? { summary: found.summary, standing: textsIn(found.standing) }
        : {}),
      usage: {
        inputTokens: countIn(found.usage?.input_tokens),
        outputTokens: countIn(found.usage?.output_tokens),
        cacheReadTokens: countIn(found.usage?.cache_read_tokens),
        cacheWriteTokens: countIn(found.usage?.cache_write_tokens),
        cost: amountIn(found.usage?.estimated_cost_usd),
      },
      consolidatedThrough: hidden,
      metadata: metadataOf(found, problems),
      bind: found.bind && endedAt === undefined,
    },
    messages: datedMessages([...lostBeginning(found, hidden), ...messages], createdAt),
  };
}

/** No chat has longer ids, and databases cannot index any length. */
const LONGEST_ID = 500;

/** How many messages the summary stands for. Without one nothing may be hidden, whatever the source has put elsewhere. */
function hiddenBy({ summary, ours, consolidated = 0, transcript }: Findings): number {
  return summary || ours ? transcript.places.filter((before) => before < consolidated).length : 0;
}

/** If the source kept only the summary of its beginning, that is what it began with. */
function lostBeginning({ summary, ours }: Findings, hidden: number): Message[] {
  if (!summary || ours || hidden > 0) return [];
  return [parseMessage({ role: "user", content: `[Summary of what was said before]\n${summary}` })];
}

/** No chat is older, and a clock may be a day ahead: other times are mistakes of the program or of its machine. */
const EARLIEST = Date.UTC(2000, 0);
const AHEAD_MS = 86_400_000;

function isSensible(time: number | undefined, now: number): time is number {
  return time !== undefined && time >= EARLIEST && time <= now + AHEAD_MS;
}

/** The message without a time that cannot be meant. */
function believed(message: Message, now: number): Message {
  if (message.at === undefined || isSensible(message.at, now)) return message;
  const { at: _, ...undated } = message;
  return undated;
}

/** When the session began, when somebody last wrote, and when it ended, from what the source says sensibly. */
function momentsOf(
  found: Findings,
  messages: readonly Message[],
  now: number,
): { createdAt: number; updatedAt: number; endedAt?: number } {
  const sensible = (time: number | undefined) => (found.ours || isSensible(time, now) ? time : undefined);
  const times = messages.flatMap(({ at }) => (at === undefined ? [] : [at]));
  const [first, last] = [
    times[0],
    times.reduce<number | undefined>((a, b) => Math.max(a ?? b, b), undefined),
  ];
  const updatedAt =
    sensible(found.updatedAt) ?? last ?? sensible(found.createdAt) ?? sensible(found.modifiedAt) ?? now;
  const createdAt = Math.min(sensible(found.createdAt) ?? first ?? updatedAt, updatedAt);
  if (found.endedAt === undefined) return { createdAt, updatedAt };
  return { createdAt, updatedAt, endedAt: sensible(found.endedAt) ?? updatedAt };
}

/** The id itself where it is one that we take, else one made of it: the same one at every import. */
export function idFor(originalId: string, createdAt: number | undefined): SessionId {
  if (isSessionId(originalId)) return originalId;
  return derivedId(originalId, createdAt);
}

export function derivedId(originalId: string, createdAt: number | undefined): SessionId {
  const hash = createHash("sha256").update(originalId).digest("hex");
  // File times change when a folder is copied, so they never enter an id.
  const at = createdAt !== undefined && createdAt >= 0 && createdAt < YEAR_10000 ? createdAt : 0;
  return sessionIdAt(at, hash.slice(0, 12));
}

const YEAR_10000 = Date.UTC(10_000, 0);
const MAX_TITLE = 100;

function shortTitle(title: string | undefined): string {
  const line = cleanLine(title ?? "");
  return [...line].length <= MAX_TITLE ? line : shorten(line, MAX_TITLE);
}

/** Other programs have more reasons than we have. */
function endReasonOf(reason: string | undefined): EndReason {
  const known = {
    idle: "idle",
    daily: "daily",
    reset: "reset",
    session_reset: "reset",
    switched: "switched",
  } as const;
  return reason !== undefined && Object.hasOwn(known, reason) ? known[reason as keyof typeof known] : "ended";
}

/** A message without a time was said when the one before it was. */
function datedMessages(messages: readonly Message[], createdAt: number): Message[] {
  let last = createdAt;
  return messages.map((message) => {
    last = message.at ?? last;
    return { ...message, at: last };
  });
}

/**
 * Another program's metadata is kept beside the note of the import: at the top are names that Baton reads, such as the
 * session's model. A file that says it is ours may still never say that its session goes once it was used.
 */
function metadataOf(found: Findings, problems: Problems): Fields {
  const { format, originalId, endReason } = found;
  const given = isFields(found.metadata) ? found.metadata : {};
  const id = shorten(originalId, 1_000);
  const imported = {
    format,
    id,
    messages: found.transcript.messages.length,
    ...(endReason ? { endReason: shorten(endReason, 100) } : {}),
  };
  const theirs = Object.keys(given).length > 0 ? { metadata: given } : {};
  const metadata = found.ours ? withoutUnsaved(given) : { imported: { ...imported, ...theirs } };
  try {
    if (isTooDeep(metadata)) throw new InputError("invalid_metadata", "It is nested too deeply.");
    serializeMetadata(metadata);
    return metadata;
  } catch {
    problems.add(found.file, null, "Its metadata is too large or too deep to keep, and was left out.");
    return { imported };
  }
}

/** The usual fields of an entry, spelled as most programs spell them. */
export function commonFindings(
  fields: Fields,
): Pick<Findings, "createdAt" | "updatedAt" | "displayName" | "usage"> {
  return {
    createdAt: timeIn(fields.created_at),
    updatedAt: timeIn(fields.updated_at),
    displayName: textIn(fields.display_name),
    usage: fields,
  };
}
