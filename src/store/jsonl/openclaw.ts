/**
 * The sessions of one agent of OpenClaw: `sessions.json` (session key → entry) and a transcript for each session. Transcripts
 * that no entry names are conversations of before: they come in unbound, for the gateway's owner.
 */
import { join } from "node:path";
import { isSessionId } from "../../session/ids.js";
import type { ImportContext } from "./context.js";
import { textIn, timeIn } from "./fields.js";
import { type Folder, PUT_AWAY, stemOf } from "./folder.js";
import { type FoundSession, foundSession, type ImportSource } from "./found-session.js";
import { readOpenClawEntry } from "./openclaw-entry.js";
import { type OpenClawPlace, openClawPlace } from "./openclaw-place.js";
import { ownersPlace } from "./place.js";
import { INDEX, type IndexEntry, named } from "./session-index.js";
import { readTreeFile, type TranscriptFile } from "./transcript-file.js";
import { leftOutNote } from "./tree-notes.js";
import { foldTree, type TreeEntry } from "./tree-transcript.js";

const FORMAT = "openclaw";

/** Files beside the transcripts that are none: traces of runs, and copies from before a summary. */
const BESIDE = /\.trajectory\.jsonl$|\.checkpoint\./;

/** `elsewhere` are the sessions whose messages another part of the source has. */
export function openOpenClaw(
  folder: Folder,
  entries: readonly IndexEntry[],
  context: ImportContext,
  elsewhere: ReadonlySet<string> = new Set(),
): ImportSource {
  const away = [...folder.names]
    .filter((name) => name.includes(PUT_AWAY))
    .map((name) => ({ name: folder.called(name), path: join(folder.path, name) }));
  const files = folder.transcripts.filter(({ path }) => !BESIDE.test(path));
  context.problems.bookkeeping += folder.transcripts.length - files.length;
  const taken = new Set<string>();
  const fileOf = filesByEntry(files);
  const current = entries.map((entry) => {
    const file = fileOf(entry);
    if (file) taken.add(file.path);
    return { entry, file };
  });
  const here = current.filter(({ entry, file }) => file || !elsewhere.has(entry.id ?? ""));
  const former = [...files, ...away].filter(({ path }) => !taken.has(path));
  return {
    format: FORMAT,
    path: folder.path,
    sessions: [
      ...here.map(({ entry, file }) => ({
        file: file?.name ?? folder.called(INDEX),
        read: () => currentSession(folder, entry, file, context),
      })),
      ...former.map((file) => ({ file: file.name, read: () => formerSession(file, context) })),
    ],
    close: async () => {},
  };
}

/** The file that an entry names, or one of its id; of a topic, its number is in the name too. */
function filesByEntry(
  files: readonly TranscriptFile[],
): (entry: Pick<IndexEntry, "id" | "fields">) => TranscriptFile | undefined {
  const byStem = new Map<string, TranscriptFile>();
  const byTopic = new Map<string, TranscriptFile>();
  for (const file of files) {
    const stem = stemOf(file);
    byStem.set(stem, file);
    for (let at = stem.indexOf(TOPIC); at >= 0; at = stem.indexOf(TOPIC, at + 1)) {
      const id = stem.slice(0, at);
      if (!byTopic.has(id)) byTopic.set(id, file);
    }
  }
  return ({ id = "", fields }) => {
    const given = textIn(fields.sessionFile)?.split(/[/\\]/).at(-1);
    const named = given?.endsWith(".jsonl") ? byStem.get(given.slice(0, -".jsonl".length)) : undefined;
    return named ?? byStem.get(id) ?? byTopic.get(id);
  };
}

const TOPIC = "-topic-";

async function currentSession(
  folder: Folder,
  entry: IndexEntry,
  file: TranscriptFile | undefined,
  context: ImportContext,
): Promise<FoundSession> {
  const { key, fields, id } = entry;
  if (!file)
    context.problems.add(
      folder.called(INDEX),
      null,
      `The session of ${named(key)} has no transcript here; it comes in empty.`,
    );
  const read = file
    ? await readTreeFile(file, readOpenClawEntry, context.problems)
    : { entries: [], header: null, modifiedAt: 0 };
  return openClawSession(
    { ...entry, id: id ?? key, file: file?.name ?? folder.called(INDEX), ...read },
    openClawPlace(key, fields, context.scopes),
    context,
  );
}

async function formerSession(file: TranscriptFile, context: ImportContext): Promise<FoundSession | null> {
  const read = await readTreeFile(file, readOpenClawEntry, context.problems);
  const id = textIn(read.header?.id) ?? stemOf(file).split(PUT_AWAY)[0] ?? "";
  const found = openClawSession(
    { id, file: file.name, fields: {}, ...read },
    { place: ownersPlace(id, context.scopes), bind: false },
    context,
  );
  if (found.messages.length > 0) return found;
  context.problems.add(file.name, null, "There is no message in it.");
  return null;
}

export interface ReadSession {
  readonly id: string;
  readonly file: string;
  readonly fields: IndexEntry["fields"];
  readonly entries: readonly TreeEntry[];
  readonly header: IndexEntry["fields"] | null;
  readonly modifiedAt: number;
}

export function openClawSession(
  { id, file, fields, entries, header, modifiedAt }: ReadSession,
  { place, bind }: OpenClawPlace,
  context: ImportContext,
): FoundSession {
  const tree = foldTree(entries);
  const isEmpty = tree.messages.length === 0;
  return foundSession(
    {
      format: FORMAT,
      file,
      originalId: id,
      ...(isSessionId(id) ? { sessionId: id } : {}),
      place,
      bind,
      transcript: tree,
      modifiedAt,
      createdAt: timeIn(header?.timestamp) ?? timeIn(fields.sessionStartedAt),
      updatedAt: timeIn(fields.lastInteractionAt) ?? (isEmpty ? timeIn(fields.updatedAt) : undefined),
      title: textIn(fields.label) ?? tree.title,
      displayName: textIn(fields.displayName) ?? textIn(fields.subject),
      summary: tree.summary,
      consolidated: tree.consolidated,
      usage: tree.usage,
      ...leftOutNote(tree),
    },
    context,
  );
}
