/**
 * The database of one agent of a newer OpenClaw: `transcript_events` has the lines that were in files before, and the keys
 * are in one of several tables, by version.
 */
import type { ImportContext } from "./context.js";
import { fieldsIn, jsonIn, textIn } from "./fields.js";
import type { ForeignDatabase } from "./foreign-database.js";
import type { FoundSession } from "./found-session.js";
import { openClawSession } from "./openclaw.js";
import { readOpenClawEntry } from "./openclaw-entry.js";
import { openClawPlace } from "./openclaw-place.js";
import { ownersPlace } from "./place.js";
import { type IndexEntry, named } from "./session-index.js";
import type { SqliteSource } from "./sqlite.js";
import { TreeReading } from "./tree-reading.js";

const EVENTS = "transcript_events";
/** The tables that have keys. The first that names a session has its chat now; the others tell of sessions before. */
const KEYS = ["session_entries", "session_nodes", "session_windows", "sessions"];

export function hasTranscriptEvents(database: ForeignDatabase): boolean {
  const columns = database.columnsOf(EVENTS);
  return columns.has("session_id") && columns.has("event_json");
}

export function openTranscriptEvents(
  database: ForeignDatabase,
  path: string,
  modifiedAt: number,
  context: ImportContext,
): SqliteSource {
  database.index(EVENTS, "session_id");
  const keys = keysIn(database);
  const ids = database.distinct(EVENTS, "session_id", "The list of sessions");
  const isCurrent = (id: string) => keys.get(id)?.isCurrent === true;
  const ordered = [...ids].sort((a, b) => Number(isCurrent(b)) - Number(isCurrent(a)));
  return {
    format: "openclaw",
    path,
    ids: new Set(ids),
    sessions: ordered.map((id) => ({
      file: database.called,
      read: async () => sessionOf(database, id, keys.get(id), modifiedAt, context),
    })),
    close: () => database.close(),
  };
}

interface KeyedEntry extends IndexEntry {
  readonly isCurrent: boolean;
}

function keysIn(database: ForeignDatabase): ReadonlyMap<string, KeyedEntry> {
  const found = new Map<string, KeyedEntry>();
  for (const table of KEYS) {
    const columns = database.columnsOf(table);
    const idColumn = columns.has("current_session_id") ? "current_session_id" : "session_id";
    if (!columns.has("session_key") || !columns.has(idColumn)) continue;
    const isCurrent = columns.has("entry_json") || idColumn === "current_session_id";
    for (const row of database.rows(table, `The table ${table}`)) {
      const [key, id] = [textIn(row.session_key), textIn(row[idColumn])];
      if (!key || !id || found.has(id)) continue;
      found.set(id, { key, id, fields: fieldsIn(row.entry_json), isCurrent });
    }
  }
  return found;
}

function sessionOf(
  database: ForeignDatabase,
  id: string,
  keyed: KeyedEntry | undefined,
  modifiedAt: number,
  context: ImportContext,
): FoundSession | null {
  const reading = new TreeReading(readOpenClawEntry, context.problems);
  const order = database.columnsOf(EVENTS).has("seq") ? "ORDER BY seq" : "";
  const where = `WHERE session_id = CAST(? AS TEXT) ${order}`;
  for (const row of database.rows(EVENTS, `Session ${named(id)}`, where, id)) {
    const file = `${database.called} (session ${id}, event ${textIn(row.seq) ?? "?"})`;
    const json = jsonIn(row.event_json);
    reading.take(file, null, json, json === undefined ? "It is not JSON." : null);
  }
  const place = keyed
    ? openClawPlace(keyed.key, keyed.fields, context.scopes)
    : { place: ownersPlace(id, context.scopes), bind: false };
  const found = openClawSession(
    {
      id,
      file: database.called,
      fields: keyed?.fields ?? {},
      entries: reading.entries,
      header: reading.first,
      modifiedAt,
    },
    { place: place.place, bind: place.bind && keyed?.isCurrent === true },
    context,
  );
  if (found.messages.length > 0) return found;
  context.problems.add(database.called, null, `Session ${named(id)}: There is no message in it.`);
  return null;
}
