/**
 * A folder with `sessions.json` (session key → entry) and a transcript `<session id>.jsonl` for each session. Transcripts
 * that no entry names are sessions of before: they come in unbound, for the gateway's owner.
 */
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { InputError } from "../../session/errors.js";
import { isSessionId } from "../../session/ids.js";
import type { SessionScopes } from "../../session/session-key.js";
import { type Fields, isFields } from "../../util/json.js";
import { textIn, timeIn } from "./fields.js";
import { type Folder, stemOf } from "./folder.js";
import { commonFindings, type FoundSession, foundSession, type ImportSource } from "./found-session.js";
import { type ImportPlace, ownersPlace, placeOfKey, placeUnderKey, readSource } from "./place.js";
import type { Problems } from "./problems.js";
import { readTranscript, type TranscriptFile, type TranscriptInFile } from "./transcript-file.js";

export const INDEX = "sessions.json";
const FORMAT = "sessions-json";

interface SessionsJsonEntry {
  readonly key: string;
  readonly fields: Fields;
  readonly id: string | undefined;
}

export async function openSessionsJson(
  folder: Folder,
  scopes: SessionScopes,
  problems: Problems,
): Promise<ImportSource> {
  const entries = distinctSessions(await readIndex(folder, problems), problems);
  const files = new Map(folder.transcripts.map((file) => [stemOf(file), file]));
  const named = new Set(entries.map(({ id }) => id));
  const others = folder.transcripts.filter((file) => !named.has(stemOf(file)));
  const reader = new SessionsJson(folder, scopes, problems);
  return {
    format: FORMAT,
    total: entries.length + others.length,
    async *sessions() {
      for (const entry of entries) yield await reader.current(entry, files.get(entry.id ?? ""));
      for (const file of others) {
        const found = await reader.former(file);
        if (found) yield found;
      }
    },
    close: async () => {},
  };
}

class SessionsJson {
  readonly #folder: Folder;
  readonly #scopes: SessionScopes;
  readonly #problems: Problems;

  constructor(folder: Folder, scopes: SessionScopes, problems: Problems) {
    this.#folder = folder;
    this.#scopes = scopes;
    this.#problems = problems;
  }

  /** A session that the index names. */
  async current(entry: SessionsJsonEntry, file: TranscriptFile | undefined): Promise<FoundSession> {
    const { key, fields, id } = entry;
    if (!file) {
      const why =
        id === undefined || isSessionId(id) ? "has no transcript here" : "has an id that names no file here";
      this.#problems.add(INDEX, null, `The session of ${named(key)} ${why}; it comes in empty.`);
    }
    const transcript = file ? await readTranscript(file, this.#problems) : await this.#nothing();
    return foundSession(
      {
        format: FORMAT,
        file: file?.name ?? INDEX,
        originalId: id ?? key,
        ...commonFindings(fields),
        title: textIn(fields.title),
        metadata: fields.metadata,
        place: this.#place(entry),
        bind: true,
        transcript,
        modifiedAt: transcript.modifiedAt,
      },
      this.#problems,
    );
  }

  /** A transcript without an entry: nobody knows any more whose it was. */
  async former(file: TranscriptFile): Promise<FoundSession | null> {
    const transcript = await readTranscript(file, this.#problems);
    if (transcript.messages.length === 0) return null;
    return foundSession(
      {
        format: FORMAT,
        file: file.name,
        originalId: stemOf(file),
        place: ownersPlace(stemOf(file), this.#scopes),
        bind: false,
        transcript,
        modifiedAt: transcript.modifiedAt,
      },
      this.#problems,
    );
  }

  #place({ key, fields }: SessionsJsonEntry): ImportPlace {
    try {
      const source = fields.origin ? readSource(fields.origin) : null;
      if (!fields.origin) return placeOfKey(key, this.#scopes);
      if (!source) return ownersPlace(key, this.#scopes);
      const place = placeUnderKey(key, source, this.#scopes);
      if (place) return place;
      this.#problems.add(
        INDEX,
        null,
        `The key ${named(key)} does not say whose session it is; ${OWNER_ONLY}`,
      );
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      this.#problems.add(
        INDEX,
        null,
        `The origin of ${named(key)} is not readable (${error.message}); ${OWNER_ONLY}`,
      );
    }
    return ownersPlace(key, this.#scopes);
  }

  async #nothing(): Promise<TranscriptInFile> {
    const { mtimeMs } = await stat(join(this.#folder.path, INDEX));
    return { header: null, messages: [], places: [], modifiedAt: Math.round(mtimeMs) };
  }
}

const OWNER_ONLY = "it comes in for the gateway's owner only.";

function named(key: string): string {
  return JSON.stringify(key.slice(0, 200));
}

async function readIndex(folder: Folder, problems: Problems): Promise<SessionsJsonEntry[]> {
  let index: unknown;
  try {
    index = JSON.parse((await readFile(join(folder.path, INDEX), "utf8")).replace(/^\ufeff/, ""));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  if (!isFields(index)) {
    problems.add(
      INDEX,
      null,
      "It is not a JSON object; the transcripts come in for the gateway's owner only.",
    );
    return [];
  }
  return Object.entries(index).flatMap(([key, fields]): SessionsJsonEntry[] => {
    if (isFields(fields)) return [{ key, fields, id: textIn(fields.session_id) }];
    problems.add(INDEX, null, `The entry of ${named(key)} is not an object.`);
    return [];
  });
}

/** Newest first; a session that two keys lead to stays with the one that used it last. */
function distinctSessions(entries: readonly SessionsJsonEntry[], problems: Problems): SessionsJsonEntry[] {
  const sorted = [...entries].sort((a, b) => lastUse(b) - lastUse(a));
  const holders = new Map<string, string>();
  return sorted.filter(({ key, id }) => {
    if (id === undefined) return true;
    const holder = holders.get(id);
    if (holder === undefined) {
      holders.set(id, key);
      return true;
    }
    problems.add(INDEX, null, `${named(key)} leads to the session of ${named(holder)}, which keeps it.`);
    return false;
  });
}

function lastUse({ fields }: SessionsJsonEntry): number {
  return timeIn(fields.updated_at) ?? 0;
}
