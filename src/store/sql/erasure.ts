/**
 * Erases a person: first their access, then what belongs to others and mentions them, then what is their own, last the person.
 * Each step is a transaction of bounded size, and can be repeated. A file is named by a row until the file is gone.
 */
import type {
  ErasedPerson,
  ErasedProcess,
  ErasureStore,
  Hear,
  Holdings,
  Scrubbed,
  SeeText,
  SharedRest,
} from "../../gateway/erasure.js";
import type { JobId, ProcessId, SessionId } from "../../session/ids.js";
import type { Db, Queries, Scrubber } from "../db.js";
import type { SearchIndex } from "../search-index.js";
import { eraseMentions } from "./erase-mentions.js";
import { eraseMessages, messagesBy } from "./erase-messages.js";
import { erasePosts } from "./erase-posts.js";
import { eraseSaid } from "./erase-said.js";
import { eraseTurns, openTurns } from "./erase-turns.js";
import { forgetSession } from "./forget.js";
import { removeJob } from "./jobs.js";
import { marks, noteFiles, ownersOf, privatePlaces, releaseFiles, wrote } from "./of-person.js";
import { LIVE } from "./process-rows.js";
import { everyText, hearRows, type TextTables, textTables } from "./texts.js";
import { forgetSessionOfUsage } from "./usage.js";
import { number, sourceOfAnyPlatform, text } from "./values.js";

/** Links to sign in with, and where somebody is signed in. */
const SIGNED_IN = ["web_links", "web_devices"];

/** So many messages of a session go in one step. */
const BATCH = 500;

export class SqlErasure implements ErasureStore {
  readonly #db: Db;
  readonly #index: SearchIndex;
  readonly #scrubber: Scrubber;
  #tables: TextTables | undefined;

  constructor(db: Db, index: SearchIndex, scrubber: Scrubber) {
    this.#db = db;
    this.#index = index;
    this.#scrubber = scrubber;
  }

  async survey(whose: ErasedPerson): Promise<Holdings> {
    const owners = ownersOf(whose);
    const own = await this.#db.get(
      `SELECT count(*) AS sessions, coalesce(sum(next_seq - 1), 0) AS messages FROM sessions
       WHERE owner IN (${marks(owners)})`,
      ...owners,
    );
    const files = new Set<string>();
    const shared = await messagesBy(this.#db, whose, async (rows) => {
      for (const row of rows) for (const file of noteFiles(row)) files.add(file);
    });
    const withFiles = await this.#db.all(
      `SELECT m.attachments FROM messages m JOIN sessions s ON s.id = m.session_id
       WHERE s.owner IN (${marks(owners)}) AND m.attachments IS NOT NULL`,
      ...owners,
    );
    for (const row of withFiles) for (const file of noteFiles(row)) files.add(file);
    const usage = await this.#count("spending", "identity", whose.identities);
    return {
      sessions: number(own?.sessions),
      messages: number(own?.messages),
      shared,
      files: files.size,
      jobs: (await this.jobs(whose)).length,
      processes: (await this.processes(whose)).length,
      notes: await this.#count("memory_notes", "owner", owners),
      usage,
    };
  }

  async #count(table: string, column: string, values: readonly string[]): Promise<number> {
    const sql = `SELECT count(*) AS n FROM ${table} WHERE ${column} IN (${marks(values)})`;
    return number((await this.#db.get(sql, ...values))?.n);
  }

  async lockOut(whose: ErasedPerson, hear: Hear): Promise<void> {
    await this.#scrubber.prepare(this.#db);
    return this.#step(async (tx, remove) => {
      await tx.run("UPDATE people_state SET version = version + 1 WHERE one = 1");
      const who = whose.identities;
      const theirs = `identity IN (${marks(who)})`;
      await tx.run(`UPDATE identities SET role = NULL WHERE ${theirs}`, ...who);
      for (const table of ["pairings", "link_codes", "standing_approvals", ...SIGNED_IN])
        await remove(table, theirs, ...who);
      for (const id of await jobsOf(tx, who))
        await tx.run(
          "UPDATE jobs SET state = 'paused', wake_at = NULL, version = version + 1 WHERE id = ?",
          id,
        );
      tx.record({ kind: "jobs" });
      tx.record({ kind: "devices" });
    }, hear);
  }

  stopTurns(whose: ErasedPerson, now: number): Promise<number> {
    return this.#db.transaction(async (tx) => {
      const turns = await openTurns(tx, this.#db.dialect, whose, now);
      for (const { id } of turns)
        await tx.run("UPDATE turns SET stop_asked = 'stopped' WHERE id = ? AND state = 'running'", id);
      if (turns.length > 0) tx.record({ kind: "stops" });
      return turns.filter(({ isHeld }) => isHeld).length;
    });
  }

  endTurns(whose: ErasedPerson, now: number): Promise<number> {
    return this.#db.transaction(async (tx) => {
      const turns = await openTurns(tx, this.#db.dialect, whose, now);
      for (const { id, inboxId } of turns) {
        await tx.run("DELETE FROM tool_calls WHERE turn_id = ?", id);
        await tx.run(
          "UPDATE turns SET state = 'stopped', fence = fence + 1, finished_at = ? WHERE id = ? AND state = 'running'",
          now,
          id,
        );
        await tx.run("UPDATE inbox SET state = 'done' WHERE id = ?", inboxId);
      }
      return turns.length;
    });
  }

  async processes(whose: ErasedPerson): Promise<ErasedProcess[]> {
    const owners = ownersOf(whose);
    const rows = await this.#db.all(
      `SELECT p.id, p.home, p.state, p.source, s.owner FROM processes p JOIN sessions s ON s.id = p.session_id`,
    );
    const theirs = rows.filter(
      (row) => owners.includes(text(row.owner)) || wrote(whose, sourceOfAnyPlatform(row.source)),
    );
    return theirs.map((row) => ({
      id: text<ProcessId>(row.id),
      home: text(row.home),
      isLive: text(row.state) !== "ended",
    }));
  }

  jobs({ identities }: ErasedPerson): Promise<JobId[]> {
    return jobsOf(this.#db, identities);
  }

  async sessions(whose: ErasedPerson, limit: number): Promise<SessionId[]> {
    const owners = ownersOf(whose);
    const sql = `SELECT id FROM sessions WHERE owner IN (${marks(owners)}) ORDER BY id LIMIT ?`;
    return (await this.#db.all(sql, ...owners, limit)).map((row) => text<SessionId>(row.id));
  }

  async eraseShared(whose: ErasedPerson, now: number, hear: Hear): Promise<SharedRest> {
    const places = await privatePlaces(this.#db, whose);
    for (const name of [...places.chats, ...places.keys]) hear("id", name);
    const messages = await eraseMessages(this.#db, this.#index, whose, now, hear);
    await eraseSaid(this.#db, this.#index, whose, now, hear);
    await eraseTurns(this.#db, whose, places, hear);
    await eraseMentions(this.#db, whose, places, now, hear);
    // Also those that an erase changed that was cut off.
    const changed = await this.#db.all("SELECT id FROM sessions WHERE erased_at IS NOT NULL ORDER BY id");
    return { sessionIds: changed.map(({ id }) => text<SessionId>(id)), messages };
  }

  async eraseSession(sessionId: SessionId, hear: Hear): Promise<number> {
    hear("id", sessionId);
    const tables = await this.#known();
    const tell = (words: string): void => hear("words", words);
    let messages = 0;
    for (let gone = BATCH; gone === BATCH; messages += gone) gone = await this.#eraseSome(sessionId, hear);
    await this.#db.transaction(async (tx) => {
      for (const [table, { all }] of tables) {
        if (all.includes("session_id")) await hearRows(tx, tables, tell, table, "session_id = ?", sessionId);
      }
      await hearRows(tx, tables, tell, "sessions", "id = ?", sessionId);
      const turns = "SELECT id FROM turns WHERE session_id = ?";
      for (const { id } of await tx.all(turns, sessionId)) hear("id", text(id));
      const asked = "id IN (SELECT inbox_id FROM turns WHERE session_id = ?)";
      await hearRows(tx, tables, tell, "inbox", asked, sessionId);
      for (const row of await tx.all(`SELECT attachments FROM inbox WHERE ${asked}`, sessionId))
        await releaseFiles(tx, noteFiles(row), hear);
      for (const row of await tx.all("SELECT attachments FROM web_posts WHERE session_id = ?", sessionId))
        await releaseFiles(tx, noteFiles(row), hear);
      await tx.run(`DELETE FROM tool_calls WHERE turn_id IN (${turns})`, sessionId);
      await tx.run("DELETE FROM routes WHERE session_id = ?", sessionId);
      await tx.run("DELETE FROM processes WHERE session_id = ?", sessionId);
      await forgetSessionOfUsage(tx, sessionId); // The person's own goes with the person.
      await tx.run("UPDATE job_runs SET session_id = NULL WHERE session_id = ?", sessionId);
      await forgetSession(tx, this.#index, sessionId);
    });
    return messages;
  }

  /** The next messages of a session, with what the search index has of them. */
  async #eraseSome(sessionId: SessionId, hear: Hear): Promise<number> {
    const tables = await this.#known();
    return this.#db.transaction(async (tx) => {
      const rows = await tx.all(
        "SELECT id, attachments FROM messages WHERE session_id = ? ORDER BY seq LIMIT ?",
        sessionId,
        BATCH,
      );
      const ids = rows.map((row) => number(row.id));
      if (ids.length === 0) return 0;
      await hearRows(
        tx,
        tables,
        (words) => hear("words", words),
        "messages",
        `id IN (${marks(ids)})`,
        ...ids,
      );
      for (const row of rows) await releaseFiles(tx, noteFiles(row), hear);
      await this.#index.forgetMessages(tx, ids);
      return tx.run(`DELETE FROM messages WHERE id IN (${marks(ids)})`, ...ids);
    });
  }

  async eraseWork(whose: ErasedPerson, hear: Hear): Promise<void> {
    const tables = await this.#known();
    await erasePosts(this.#db, tables, whose, hear);
    const processes = await this.processes(whose);
    await this.#step(async (tx, remove) => {
      const tell = (words: string): void => hear("words", words);
      for (const id of await jobsOf(tx, whose.identities)) {
        hear("id", id);
        await hearRows(tx, tables, tell, "jobs", "id = ?", id);
        await hearRows(tx, tables, tell, "job_runs", "job_id = ?", id);
        await removeJob(tx, id);
      }
      for (const { id } of processes) {
        hear("id", id);
        await remove("processes", `id = ? AND NOT (${LIVE})`, id);
      }
    }, hear);
  }

  forgetPerson(whose: ErasedPerson, hear: Hear): Promise<void> {
    const { id, identities } = whose;
    for (const each of [...identities, ...(id === null ? [] : [id])]) hear("id", each);
    return this.#step(async (tx, remove) => {
      await tx.run("UPDATE people_state SET version = version + 1 WHERE one = 1");
      const theirs = `identity IN (${marks(identities)})`;
      const tables = [
        "pairings",
        "link_codes",
        "standing_approvals",
        "spending",
        "model_usage",
        "limit_notices",
        ...SIGNED_IN,
      ];
      for (const table of [...tables, "identities"]) await remove(table, theirs, ...identities);
      const owners = ownersOf(whose);
      for (const table of ["memory_notes", "memory_owners"])
        await remove(table, `owner IN (${marks(owners)})`, ...owners);
      await remove("tries", `who IN (${marks(identities)})`, ...identities);
      if (id !== null) await remove("persons", "id = ?", id);
    }, hear);
  }

  scrub(): Promise<Scrubbed> {
    return this.#scrubber.scrub(this.#db);
  }

  texts(see: SeeText): Promise<void> {
    return everyText(this.#db, see);
  }

  /** One transaction, in which `remove` tells what it removes. */
  async #step(
    work: (
      tx: Queries,
      remove: (table: string, where: string, ...values: string[]) => Promise<void>,
    ) => Promise<void>,
    hear: Hear,
  ): Promise<void> {
    const tables = await this.#known();
    await this.#db.transaction((tx) =>
      work(tx, async (table, where, ...values) => {
        await hearRows(tx, tables, (words) => hear("words", words), table, where, ...values);
        await tx.run(`DELETE FROM ${table} WHERE ${where}`, ...values);
      }),
    );
  }

  async #known(): Promise<TextTables> {
    this.#tables ??= await textTables(this.#db);
    return this.#tables;
  }
}

async function jobsOf(on: Queries, identities: readonly string[]): Promise<JobId[]> {
  const sql = `SELECT id FROM jobs WHERE owner IN (${marks(identities)})`;
  return (await on.all(sql, ...identities)).map((row) => text<JobId>(row.id));
}
