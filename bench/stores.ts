/**
 * Filled stores. Each is made once, by big transactions through the bare driver, and stays closed; a case works on
 * copies of it. Copying is safe here because nobody has the original open.
 */
import { copyFile, mkdir, stat } from "node:fs/promises";
import { join } from "node:path";
import type { SessionId } from "../src/session/ids.js";
import type { Row } from "../src/store/db.js";
import { labelsOf } from "../src/store/search/labels.js";
import { termsOf } from "../src/store/search/terms.js";
import { randomFrom } from "../test/support/random.mjs";
import { buildSessionKey, openSessions, type SessionSource, serializeSource } from "./baton.js";
import { FEW, sourceOf, textOf } from "./corpus.js";
import { openForSeeding, type RawDatabase } from "./raw.js";

const MESSAGES_EACH = 4;
const EPOCH = Date.UTC(2026, 0, 1);
/** In stores to search in: long enough for tools, and a minute for each message. */
const SEARCHED_EACH = 20;
const MINUTE_MS = 60_000;

export class Stores {
  readonly #folder: string;
  readonly #made = new Map<string, Promise<string>>();
  #copies = 0;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** This many sessions of four messages each, all of them indexed. Returns the path of a copy. */
  withSessions(count: number): Promise<string> {
    return this.#copyOf(`sessions-${count}`, async (path) => {
      fill(path, (database) => {
        const random = randomFrom(count);
        const total = count * MESSAGES_EACH;
        for (let number = 0; number < count; number++) {
          addSession(database, number, MESSAGES_EACH, (seq) =>
            textOf(random, number * MESSAGES_EACH + seq - 1, total),
          );
        }
      });
      const sessions = await openSessions({ url: path });
      await sessions.indexAll();
      await sessions.close();
    });
  }

  /**
   * This many sessions of twenty messages each, from all roles and over months, all of them indexed: at once, since a
   * feed that takes turns with others would take an hour. One person has three of them; few are on another platform.
   */
  toSearch(count: number): Promise<string> {
    return this.#copyOf(`to-search-${count}`, async (path) => {
      fill(path, (database) => {
        const random = randomFrom(count);
        const total = count * SEARCHED_EACH;
        mergesByItself(database, true);
        const index = database.prepare("INSERT INTO message_terms (rowid, terms) VALUES (?, ?)");
        for (let number = 0; number < count; number++) {
          const source = number % Math.floor(count / 3) === 1 ? FEW.person : sourceOf(number);
          const of = number % Math.floor(count / 4) === 2 ? { ...source, platform: FEW.platform } : source;
          addSession(database, number, SEARCHED_EACH, (seq) => textOf(random, placeOf(number, seq), total), {
            source: of,
            roleOf: (seq) => roleAt(placeOf(number, seq)),
            atOf: (seq) => EPOCH + placeOf(number, seq) * MINUTE_MS,
          });
        }
        for (const row of database
          .prepare(
            "SELECT m.id, session_id, role, at, content, owner FROM messages m JOIN sessions s ON s.id = session_id",
          )
          .iterate()) {
          const { id, content } = row as { id: number; content: string };
          index.run(id, [...labelsOf(row as Row), ...termsOf(content)].join(" "));
        }
        database.exec("UPDATE search_watermark SET indexed_through = (SELECT max(id) FROM messages)");
        mergesByItself(database, false);
      });
    });
  }

  /** One session for each of these lengths, numbered in their order; not indexed, since nothing searches there. */
  withTranscripts(lengths: readonly number[]): Promise<string> {
    return this.#copyOf("transcripts", async (path) => {
      fill(path, (database) => {
        const random = randomFrom(lengths.length);
        lengths.forEach((length, number) => {
          addSession(database, number, length, (seq) => textOf(random, seq, length));
        });
        database.exec("UPDATE search_watermark SET indexed_through = (SELECT max(id) FROM messages)");
      });
    });
  }

  async #copyOf(name: string, make: (path: string) => Promise<void>): Promise<string> {
    let made = this.#made.get(name);
    if (!made) {
      made = this.#make(join(this.#folder, `${name}.db`), make);
      this.#made.set(name, made);
    }
    const folder = join(this.#folder, `copy-${++this.#copies}`);
    await mkdir(folder);
    const copy = join(folder, `${name}.db`);
    await copyFile(await made, copy);
    return copy;
  }

  async #make(path: string, make: (path: string) => Promise<void>): Promise<string> {
    await (await openSessions({ url: path })).close(); // The schema is the store's own.
    await make(path);
    const log = await stat(`${path}-wal`).catch(() => null);
    if (log && log.size > 0) throw new Error(`${path} is not whole: a part of it is still in its log.`);
    return path;
  }
}

export function sessionIdOf(number: number): SessionId {
  return `20260101_000000_${number.toString(16).padStart(12, "0")}` as SessionId;
}

/** Normally the feed merges the index after each of its steps. */
function mergesByItself(database: RawDatabase, doesIt: boolean): void {
  const [auto, crisis] = doesIt ? [4, 16] : [0, 1000];
  database.exec(`INSERT INTO message_terms (message_terms, rank) VALUES ('automerge', ${auto});
    INSERT INTO message_terms (message_terms, rank) VALUES ('crisismerge', ${crisis})`);
}

function placeOf(number: number, seq: number): number {
  return number * SEARCHED_EACH + seq - 1;
}

/** A tool result in four, and a rare word of the system. */
function roleAt(place: number): string {
  if (place % 5_000 === 49) return "system";
  return ["user", "assistant", "tool", "assistant"][place % 4] ?? "user";
}

function fill(path: string, work: (database: RawDatabase) => void): void {
  const database = openForSeeding(path);
  database.exec("BEGIN");
  work(database);
  database.exec("COMMIT");
  database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  database.close();
}

type Insert = ReturnType<RawDatabase["prepare"]>;
const prepared = new WeakMap<RawDatabase, { session: Insert; route: Insert; message: Insert }>();

function insertsOf(database: RawDatabase) {
  const known = prepared.get(database);
  if (known) return known;
  const inserts = {
    session:
      database.prepare(`INSERT INTO sessions (id, key, owner, lane_owner, chat, platform, chat_type, origin,
      display_name, created_at, updated_at, next_seq, message_count) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`),
    route: database.prepare(
      "INSERT INTO routes (key, session_id, owner, chat, origin, display_name) VALUES (?, ?, ?, ?, ?, ?)",
    ),
    message: database.prepare(
      "INSERT INTO messages (session_id, seq, role, tool_call_id, content, at) VALUES (?, ?, ?, ?, ?, ?)",
    ),
  };
  prepared.set(database, inserts);
  return inserts;
}

/** Of a session, if it is not like all others. */
interface Told {
  readonly source?: SessionSource;
  readonly roleOf?: (seq: number) => string;
  readonly atOf?: (seq: number) => number;
}

function roleInTurn(seq: number): string {
  return seq % 2 === 1 ? "user" : "assistant";
}

function addSession(
  database: RawDatabase,
  number: number,
  length: number,
  contentOf: (seq: number) => string,
  { source = sourceOf(number), roleOf = roleInTurn, atOf = () => EPOCH + number * 1_000 }: Told = {},
): void {
  const { session, route, message } = insertsOf(database);
  const chat = `${source.platform}:${source.chatId}`;
  const key = buildSessionKey(source);
  const id = sessionIdOf(number);
  const at = atOf(length);
  const owner = `person:${source.platform}:${source.userId}`;
  const origin = JSON.stringify(serializeSource(source));
  const name = source.userName ?? "";
  session.run(
    id,
    key,
    owner,
    owner,
    chat,
    source.platform,
    source.chatType,
    origin,
    name,
    at,
    at,
    length + 1,
    length,
  );
  if (source !== FEW.person || number === 1) route.run(key, id, owner, chat, origin, name);
  for (let seq = 1; seq <= length; seq++) {
    const role = roleOf(seq);
    message.run(id, seq, role, role === "tool" ? `call${seq}` : null, contentOf(seq), atOf(seq));
  }
}
