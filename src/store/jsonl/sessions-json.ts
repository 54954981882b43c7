/**
 * A folder with `sessions.json` (session key → entry) and a transcript `<session id>.jsonl` for each session. Transcripts
 * that no entry names are sessions of before: they come in unbound, for the gateway's owner.
 */
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { InputError } from "../../session/errors.js";
import { isSessionId } from "../../session/ids.js";
import type { SessionScopes } from "../../session/session-key.js";
import { isFields } from "../../util/json.js";
import type { ImportContext } from "./context.js";
import { platformIn, textIn } from "./fields.js";
import { type Folder, stemOf } from "./folder.js";
import { commonFindings, type FoundSession, foundSession, type ImportSource } from "./found-session.js";
import {
  type ImportPlace,
  ownersPlace,
  placeOfKey,
  placeUnderKey,
  readSource,
  strangersPlace,
} from "./place.js";
import { INDEX, type IndexEntry, named } from "./session-index.js";
import { readTranscript, type TranscriptFile, type TranscriptInFile } from "./transcript-file.js";

const FORMAT = "sessions-json";

/** `elsewhere` are the sessions whose messages another part of the source has. */
export function openSessionsJson(
  folder: Folder,
  entries: readonly IndexEntry[],
  context: ImportContext,
  elsewhere: ReadonlySet<string> = new Set(),
): ImportSource {
  const files = new Map(folder.transcripts.map((file) => [stemOf(file), file]));
  const named = new Set(entries.map(({ id }) => id));
  const others = folder.transcripts.filter((file) => !named.has(stemOf(file)));
  const here = entries.filter(({ id = "" }) => files.has(id) || !elsewhere.has(id));
  const reader = new SessionsJson(folder, context);
  return {
    format: FORMAT,
    path: folder.path,
    sessions: [
      ...here.map((entry) => {
        const file = files.get(entry.id ?? "");
        return { file: file?.name ?? folder.called(INDEX), read: () => reader.current(entry, file) };
      }),
      ...others.map((file) => ({ file: file.name, read: () => reader.former(file) })),
    ],
    close: async () => {},
  };
}

class SessionsJson {
  readonly #folder: Folder;
  readonly #context: ImportContext;

  constructor(folder: Folder, context: ImportContext) {
    this.#folder = folder;
    this.#context = context;
  }

  /** A session that the index names. */
  async current(entry: IndexEntry, file: TranscriptFile | undefined): Promise<FoundSession> {
    const { key, fields, id } = entry;
    if (!file) {
      const why =
        id === undefined || isSessionId(id) ? "has no transcript here" : "has an id that names no file here";
      this.#context.problems.add(
        this.#folder.called(INDEX),
        null,
        `The session of ${named(key)} ${why}; it comes in empty.`,
      );
    }
    const transcript = file ? await readTranscript(file, this.#context.problems) : await this.#nothing();
    return foundSession(
      {
        format: FORMAT,
        file: file?.name ?? this.#folder.called(INDEX),
        originalId: id ?? key,
        ...commonFindings(fields),
        title: textIn(fields.title),
        metadata: fields.metadata,
        place: this.#place(entry),
        bind: true,
        transcript,
        modifiedAt: transcript.modifiedAt,
      },
      this.#context,
    );
  }

  /** A transcript without an entry: nobody knows any more whose it was. */
  async former(file: TranscriptFile): Promise<FoundSession | null> {
    const transcript = await readTranscript(file, this.#context.problems);
    if (transcript.messages.length === 0) {
      this.#context.problems.add(file.name, null, "There is no message in it.");
      return null;
    }
    return foundSession(
      {
        format: FORMAT,
        file: file.name,
        originalId: stemOf(file),
        place: ownersPlace(stemOf(file), this.#context.scopes),
        bind: false,
        transcript,
        modifiedAt: transcript.modifiedAt,
      },
      this.#context,
    );
  }

  #place(entry: IndexEntry): ImportPlace {
    const { scopes, problems } = this.#context;
    const read = placeOfEntry(entry, scopes);
    if (read.problem) problems.add(this.#folder.called(INDEX), null, read.problem);
    return read.place;
  }

  async #nothing(): Promise<TranscriptInFile> {
    const { mtimeMs } = await stat(join(this.#folder.path, INDEX));
    return { header: null, messages: [], places: [], modifiedAt: Math.round(mtimeMs) };
  }
}

const OWNER_ONLY = "it comes in for the gateway's owner only.";

/** The place of an entry, as its key and the source of its last message say. */
export function placeOfEntry(
  { key, fields }: Pick<IndexEntry, "key" | "fields">,
  scopes: SessionScopes,
): { place: ImportPlace; problem?: string } {
  const owners = ownersPlace(key, scopes);
  const { origin } = fields;
  if (!origin) return { place: placeOfKey(key, scopes) };
  try {
    const source = readSource(threaded(origin));
    if (!source) return { place: strangersPlace(platformIn(origin), key, scopes) };
    const place = placeUnderKey(withoutScope(key, origin), source, scopes);
    if (place) return { place };
    return {
      place: owners,
      problem: `The key ${named(key)} does not say whose session it is; ${OWNER_ONLY}`,
    };
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    return {
      place: owners,
      problem: `The origin of ${named(key)} is not readable (${error.message}); ${OWNER_ONLY}`,
    };
  }
}

/** A message that began a thread is told in the channel; what follows it is in the thread. */
function threaded(origin: unknown): unknown {
  if (!isFields(origin)) return origin;
  const thread = textIn(origin.prospective_thread_id);
  return thread && !origin.thread_id && origin.chat_type !== "dm"
    ? { ...origin, chat_type: "thread", thread_id: thread }
    : origin;
}

/** Keys of a workspace have its id before the chat's; chats have ids that are of one workspace anyway. */
function withoutScope(key: string, origin: unknown): string {
  const scope = isFields(origin) ? textIn(origin.scope_id) : undefined;
  const head = /^(?:[^:]+:){4}/.exec(key)?.[0] ?? "";
  return scope && head && key.startsWith(`${head}${scope}:`)
    ? head + key.slice(head.length + scope.length + 1)
    : key;
}
