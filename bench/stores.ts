/**
 * Filled stores. Each is made once, by big transactions through the bare driver, and stays closed; a case works on
 * copies of it. Copying is safe here because nobody has the original open.
 */
import { copyFile, mkdir, stat } from "node:fs/promises";
import { join } from "node:path";
import type { SessionId } from "../src/session/ids.js";
import { randomFrom } from "../test/support/random.mjs";
import { buildSessionKey, openSessions, serializeSource } from "./baton.js";
import { sourceOf, textOf } from "./corpus.js";
import { openForSeeding, type RawDatabase } from "./raw.js";

const MESSAGES_EACH = 4;
const EPOCH = Date.UTC(2026, 0, 1);

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
      "INSERT INTO messages (session_id, seq, role, content, at) VALUES (?, ?, ?, ?, ?)",
    ),
  };
  prepared.set(database, inserts);
  return inserts;
}

function addSession(
  database: RawDatabase,
  number: number,
  length: number,
  contentOf: (seq: number) => string,
): void {
  const { session, route, message } = insertsOf(database);
  const source = sourceOf(number);
  const chat = `${source.platform}:${source.chatId}`;
  const key = buildSessionKey(source);
  const id = sessionIdOf(number);
  const at = EPOCH + number * 1_000;
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
  route.run(key, id, owner, chat, origin, name);
  for (let seq = 1; seq <= length; seq++) {
    message.run(id, seq, seq % 2 === 1 ? "user" : "assistant", contentOf(seq), at);
  }
}
