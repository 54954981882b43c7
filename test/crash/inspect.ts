/** Looks into a store after a kill, past our own code: is the file sound, and what does it hold? */
import { DatabaseSync } from "@photostructure/sqlite";
import type { State } from "./journal.js";

type Database = InstanceType<typeof DatabaseSync>;

/** Opens the file, which recovers it, asserts what must hold of any store, and returns what it holds. */
export function inspect(path: string): State {
  const database = new DatabaseSync(path, { timeout: 5_000 });
  try {
    checkSound(database);
    if (!database.prepare("SELECT 1 FROM sqlite_master WHERE name = 'sessions'").get()) {
      return { sessions: {}, routes: {} }; // Killed before the schema was there: all of it or nothing.
    }
    checkRules(database);
    return readState(database);
  } finally {
    database.close();
  }
}

function checkSound(database: Database): void {
  const verdicts = database.prepare("PRAGMA integrity_check").all() as { integrity_check: string }[];
  if (verdicts.length !== 1 || verdicts[0]?.integrity_check !== "ok") {
    throw new Error(`integrity_check: ${JSON.stringify(verdicts)}`);
  }
  const tables = database.prepare("SELECT count(*) AS n FROM sqlite_master WHERE type = 'table'").get() as {
    n: number;
  };
  const migrated = database.prepare("SELECT 1 FROM sqlite_master WHERE name = 'migrations'").get();
  if (tables.n > 0 && !migrated) throw new Error("There are tables, but no record of their migration.");
}

/** Each query finds what must not be. */
const FORBIDDEN: Readonly<Record<string, string>> = {
  "a reference to nothing": "PRAGMA foreign_key_check",
  "a gap or a repeat in seq, or a wrong next_seq": `SELECT s.id, s.next_seq, count(m.id), max(m.seq) FROM sessions s
     LEFT JOIN messages m ON m.session_id = s.id GROUP BY s.id
     HAVING count(m.id) <> s.next_seq - 1 OR coalesce(min(m.seq), 1) <> 1 OR coalesce(max(m.seq), 0) <> s.next_seq - 1
       OR count(DISTINCT m.seq) <> count(m.id)`,
  "a wrong message_count": `SELECT s.id, s.message_count FROM sessions s
     WHERE s.message_count <> (SELECT count(*) FROM messages m WHERE m.session_id = s.id AND m.superseded_at IS NULL)`,
  "an active message before active_from": `SELECT m.id FROM messages m JOIN sessions s ON s.id = m.session_id
     WHERE m.superseded_at IS NULL AND m.seq < s.active_from`,
  "a route to no session": `SELECT r.key FROM routes r LEFT JOIN sessions s ON s.id = r.session_id AND s.key = r.key
     WHERE s.id IS NULL OR s.ended_at IS NOT NULL`,
  "a session with two routes": "SELECT session_id FROM routes GROUP BY session_id HAVING count(*) > 1",
  "a live session without a route": `SELECT id FROM sessions
     WHERE ended_at IS NULL AND id NOT IN (SELECT session_id FROM routes)`,
  "a watermark beyond the messages": `SELECT indexed_through FROM search_watermark
     WHERE indexed_through > (SELECT coalesce(max(id), 0) FROM messages)`,
  "a message below the watermark that is not indexed once": `SELECT m.id FROM messages m
     WHERE m.id <= (SELECT indexed_through FROM search_watermark) AND m.id NOT IN (SELECT id FROM message_terms_docsize)
     UNION ALL SELECT id FROM message_terms_docsize WHERE id > (SELECT indexed_through FROM search_watermark)`,
};

function checkRules(database: Database): void {
  for (const [what, sql] of Object.entries(FORBIDDEN)) {
    const found = database.prepare(sql).all();
    if (found.length > 0) throw new Error(`There is ${what}: ${JSON.stringify(found.slice(0, 3))}`);
  }
  database.exec("INSERT INTO message_terms (message_terms) VALUES ('integrity-check')");
}

function readState(database: Database): State {
  const state: State = { sessions: {}, routes: {} };
  for (const row of database.prepare("SELECT * FROM sessions").all() as Record<string, unknown>[]) {
    state.sessions[row.id as string] = {
      key: row.key as string,
      title: row.title as string | null,
      tokens: row.input_tokens as number,
      ended: row.ended_at !== null,
      messages: [],
    };
  }
  for (const row of database.prepare("SELECT * FROM routes").all() as { key: string; session_id: string }[]) {
    state.routes[row.key] = row.session_id;
  }
  const messages = database.prepare("SELECT * FROM messages ORDER BY session_id, seq");
  for (const row of messages.all() as Record<string, unknown>[]) {
    const toolCalls = row.tool_calls === null ? null : JSON.parse(row.tool_calls as string);
    state.sessions[row.session_id as string]?.messages.push({
      text: JSON.stringify([row.role, row.content, row.tool_call_id, toolCalls]),
      superseded: row.superseded_at !== null,
    });
  }
  return state;
}
