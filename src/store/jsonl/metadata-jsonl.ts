/**
 * Transcripts that begin with a line of metadata: `{"_type":"metadata","key":…}`. Other programs write a few fields and
 * `<channel>:<chat>` as the key; our own export and mirror write our key and the whole session (session-json.ts).
 */
import { basename } from "node:path";
import { isBelonging } from "../../session/access.js";
import { InputError } from "../../session/errors.js";
import { isSessionId, type SessionId } from "../../session/ids.js";
import { isPlatform } from "../../session/platform.js";
import { parseSessionKey } from "../../session/session-key.js";
import { type Fields, isFields } from "../../util/json.js";
import type { ImportContext } from "./context.js";
import { countIn, platformIn, textIn, timeIn } from "./fields.js";
import { stemOf } from "./folder.js";
import {
  commonFindings,
  derivedId,
  type FoundSession,
  foundSession,
  type ImportSource,
} from "./found-session.js";
import {
  type ImportPlace,
  ownersPlace,
  placeOfKey,
  placeOfOwnSession,
  readSource,
  strangersPlace,
} from "./place.js";
import { firstTime, readTranscript, type TranscriptFile, type TranscriptInFile } from "./transcript-file.js";

const FORMAT = "metadata-jsonl";

/** A file, and its line of metadata if it has one. */
export interface PeekedFile {
  readonly file: TranscriptFile;
  readonly header: Fields | null;
}

/** The files are in an order that stays from import to import. */
export async function openMetadataJsonl(
  path: string,
  files: readonly PeekedFile[],
  context: ImportContext,
): Promise<ImportSource> {
  const transcripts: { file: TranscriptFile; sessionId: SessionId | null; updatedAt: number }[] = [];
  const ids = new SessionIds();
  // In the order of their names, which a conversation that goes on does not change.
  for (const { file, header } of files) {
    const sessionId = header && (await ids.of(file, header));
    transcripts.push({ file, sessionId, updatedAt: timeIn(header?.updated_at) ?? 0 });
  }
  transcripts.sort((a, b) => b.updatedAt - a.updatedAt);
  const reader = new MetadataJsonl(context);
  return {
    format: FORMAT,
    path,
    sessions: transcripts.map(({ file, sessionId }) => ({
      file: file.name,
      read: async () => reader.read(file, sessionId, await readTranscript(file, context.problems)),
    })),
    close: async () => {},
  };
}

/** The ids of the sessions in a folder: the file's own, or one made of its key and beginning. */
class SessionIds {
  readonly #derived = new Set<string>();

  /** Two files of one key that began at one time are still two sessions: the first to be asked for has the usual id. */
  async of(file: TranscriptFile, header: Fields): Promise<SessionId> {
    const given = textIn(header.session_id);
    if (given !== undefined && isSessionId(given)) return given;
    const key = keyOf(file, header);
    const createdAt = timeIn(header.created_at) ?? (await firstTime(file.path));
    const usual = derivedId(key, createdAt);
    const id = this.#derived.has(usual) ? derivedId(`${key}\n${basename(file.path)}`, createdAt) : usual;
    this.#derived.add(id);
    return id;
  }
}

class MetadataJsonl {
  readonly #context: ImportContext;

  constructor(context: ImportContext) {
    this.#context = context;
  }

  /** The id is null where the file has no line of metadata. */
  read(file: TranscriptFile, sessionId: SessionId | null, transcript: TranscriptInFile): FoundSession | null {
    const { header, messages, modifiedAt } = transcript;
    const common = { format: FORMAT, file: file.name, transcript, modifiedAt } as const;
    if (!header && messages.length === 0) {
      this.#context.problems.add(file.name, null, "There is no message in it.");
      return null;
    }
    if (!header || sessionId === null) {
      this.#context.problems.add(
        file.name,
        1,
        "There is no line of metadata; the session comes in for the gateway's owner only.",
      );
      const name = stemOf(file);
      const place = ownersPlace(name, this.#context.scopes);
      return foundSession({ ...common, originalId: name, place, bind: false }, this.#context);
    }
    const key = keyOf(file, header);
    const ours = textIn(header.session_id) === sessionId && isOwnKey(key);
    const place = ours ? this.#ownPlace(file, key, header) : placeOfKey(key, this.#context.scopes);
    const parentId = textIn(header.parent_id);
    return foundSession(
      {
        ...common,
        ...commonFindings(header),
        originalId: key,
        sessionId,
        ours,
        place,
        // Other programs keep one file a key: the session it has.
        bind: ours ? header.current === true : true,
        endedAt: timeIn(header.ended_at),
        endReason: textIn(header.end_reason),
        ...(parentId && isSessionId(parentId) ? { parentId } : {}),
        title: textIn(header.title),
        summary: textIn(header.summary) ?? summaryIn(header.metadata),
        standing: ours ? header.standing_instructions : undefined,
        consolidated: countIn(header.last_consolidated),
        metadata: header.metadata,
      },
      this.#context,
    );
  }

  #ownPlace(file: TranscriptFile, key: string, header: Fields): ImportPlace {
    if (header.origin === undefined) return placeOfKey(key, this.#context.scopes);
    try {
      const source = readSource(header.origin);
      if (source) return { ...placeOfOwnSession(key, source, this.#context.scopes), ...belongingIn(header) };
      return strangersPlace(platformIn(header.origin), key, this.#context.scopes);
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      const why = `The session's origin is not readable (${error.message})`;
      this.#context.problems.add(file.name, 1, `${why}; it comes in for the gateway's owner only.`);
      return ownersPlace(key, this.#context.scopes);
    }
  }
}

/** A session that moved belongs to whom it belonged to before, which its key does not tell. */
function belongingIn(header: Fields): { owner?: string; chat?: string } {
  const owner = textIn(header.owner);
  const chat = textIn(header.chat);
  if (!owner || !chat || !isBelonging({ owner, chat })) return {};
  return { owner, chat };
}

/** One program keeps what it summed up beside the messages that are left. */
function summaryIn(metadata: unknown): string | undefined {
  const last = isFields(metadata) ? metadata._last_summary : undefined;
  return textIn(isFields(last) ? last.text : last);
}

function keyOf(file: TranscriptFile, header: Fields): string {
  return textIn(header.key) ?? keyFromName(stemOf(file));
}

/** Programs that write no key name the file after it, with the first ":" as "_". */
function keyFromName(stem: string): string {
  const [channel = "", ...rest] = stem.split("_");
  return (isPlatform(channel) || channel === "cli") && rest.length > 0
    ? `${channel}:${rest.join("_")}`
    : stem;
}

function isOwnKey(key: string): boolean {
  try {
    parseSessionKey(key);
    return true;
  } catch (error) {
    if (error instanceof InputError) return false;
    throw error;
  }
}
