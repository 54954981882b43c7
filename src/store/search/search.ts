/**
 * Search: the index for what it holds, and the tail of messages that it does not hold yet, on one snapshot, so that
 * results are complete. Newest first, straight from the index: a word that stands in most messages costs no more than
 * a rare one, since nothing is ranked that is not shown.
 */

import { ownersFor, type Viewer } from "../../session/access.js";
import { InputError } from "../../session/errors.js";
import type { SessionId } from "../../session/ids.js";
import type { Page, SearchHit, SearchOptions, SearchStore } from "../../session/store.js";
import type { Db, Queries, Row } from "../db.js";
import type { SearchIndex } from "../search-index.js";
import { columnsOf } from "../sql/columns.js";
import { accessCondition, Conditions } from "../sql/reader.js";
import { storedMessage } from "../sql/rows.js";
import { maybe, number, text } from "../sql/values.js";
import { readWatermark, type SearchFeed } from "./feed.js";
import { matches, type Phrase, parseQuery, snippetOf, withoutLetters } from "./query.js";
import { belongsTerm, searchableText, termsOf } from "./terms.js";

/** What is looked for, where, and how much of it. */
interface SearchPass {
  readonly phrases: readonly Phrase[];
  readonly visible: Conditions;
  /** Messages with smaller ids than this. */
  readonly before: number;
  readonly wanted: number;
}

interface IndexLook extends SearchPass {
  /** Each group needs one of its terms. */
  readonly belongs: readonly (readonly string[])[];
}

/** A tail longer than this is indexed before a search, not scanned by it. */
const MAX_TAIL = 1_000;
const TAIL_PAGE = 250;
/** Of the messages that have the rest of a word whose last letter has a star, this many are looked at one by one. */
const MAX_CHECKED = 250;
/** Of the sessions that moved to a lane, this many are searched from there. */
const MAX_MOVED = 200;

const COLUMNS = `${columnsOf("messages", "m")}, s.owner, s.title, s.display_name, s.platform`;

export class SqlSearch implements SearchStore {
  readonly #db: Db;
  readonly #index: SearchIndex;
  readonly #feed: SearchFeed;

  constructor(db: Db, index: SearchIndex, feed: SearchFeed) {
    this.#db = db;
    this.#index = index;
    this.#feed = feed;
  }

  async search(text: string, viewer: Viewer, options: SearchOptions): Promise<Page<SearchHit>> {
    const { limit = 20, cursor, sessionId } = options;
    const before = readCursor(cursor);
    const phrases = parseQuery(text);
    if (phrases.length === 0) return { items: [], nextCursor: null };
    // What cannot be indexed now stays in the tail, which is read below.
    await this.#feed.catchUp(MAX_TAIL).catch(() => {});

    const visible = new Conditions(accessCondition(viewer));
    visible.add("m.superseded_at IS NULL");
    if (sessionId !== undefined) visible.add("m.session_id = ?", sessionId);
    const belongs = [
      ...(viewer.kind === "owner" ? [] : [await this.#termsFor(viewer)]),
      ...(sessionId === undefined ? [] : [[belongsTerm("session", sessionId)]]),
    ];
    const rows = await this.#db.snapshot(async (tx) => {
      const watermark = await readWatermark(tx);
      const newest = await this.#tail(tx, watermark, { phrases, visible, before, wanted: limit + 1 });
      if (newest.length > limit || belongs.some((group) => group.length === 0)) return newest;
      const look = { phrases, belongs, visible, before, wanted: limit + 1 - newest.length };
      return [...newest, ...(await this.#indexed(tx, look))];
    });
    const shown = rows.slice(0, limit);
    const last = rows.length > limit ? shown.at(-1) : undefined;
    return { items: shown.map((row) => hitOf(row, phrases)), nextCursor: last ? String(last.id) : null };
  }

  /** The terms of whatever this viewer may see: their own, and sessions that moved into a lane of theirs. */
  async #termsFor(viewer: Exclude<Viewer, { kind: "owner" }>): Promise<string[]> {
    const owners = ownersFor(viewer);
    if (owners.length === 0) return [];
    const moved = await this.#db.all(
      `SELECT id FROM sessions WHERE lane_owner <> owner AND lane_owner IN (${owners.map(() => "?").join(", ")})
       ORDER BY updated_at DESC LIMIT ?`,
      ...owners,
      MAX_MOVED,
    );
    const sessions = moved.map(({ id }) => belongsTerm("session", text(id)));
    return [...owners.map((owner) => belongsTerm("owner", owner)), ...sessions];
  }

  indexAll(): Promise<void> {
    return this.#feed.indexAll();
  }

  /** Matching messages above the watermark, newest first. */
  async #tail(tx: Queries, watermark: number, look: SearchPass): Promise<Row[]> {
    const found: Row[] = [];
    let before = look.before;
    while (found.length < look.wanted) {
      const rows = await tx.all(
        `SELECT ${COLUMNS} FROM messages m JOIN sessions s ON s.id = m.session_id
         WHERE m.id > ? AND m.id < ? AND ${look.visible.sql} ORDER BY m.id DESC LIMIT ?`,
        watermark,
        before,
        ...look.visible.params,
        TAIL_PAGE,
      );
      found.push(...rows.filter((row) => hasAll(look.phrases, row)));
      if (rows.length < TAIL_PAGE) break;
      before = number(rows.at(-1)?.id);
    }
    return found.slice(0, look.wanted);
  }

  /**
   * Matching messages that the index holds, newest first. The index would look up every word that begins with a letter
   * and then drop most: first those messages are looked at that have the rest of the word, unless they are many.
   */
  async #indexed(tx: Queries, look: IndexLook): Promise<Row[]> {
    const wider = withoutLetters(look.phrases);
    if (!wider) return this.#lookUp(tx, look);
    const rows = await this.#lookUp(tx, { ...look, phrases: wider, wanted: MAX_CHECKED });
    const found = rows.filter((row) => hasAll(look.phrases, row)).slice(0, look.wanted);
    const last = rows.at(-1);
    if (!last || rows.length < MAX_CHECKED || found.length === look.wanted) return found;
    const rest = { ...look, before: number(last.id), wanted: look.wanted - found.length };
    return [...found, ...(await this.#lookUp(tx, rest))];
  }

  #lookUp(tx: Queries, { phrases, belongs, visible, before, wanted }: IndexLook): Promise<Row[]> {
    const { from, idColumn, condition } = this.#index;
    return tx.all(
      `SELECT ${COLUMNS} FROM ${from} CROSS JOIN sessions s WHERE ${condition} AND ${idColumn} < ? AND s.id = m.session_id
         AND ${visible.sql} ORDER BY ${idColumn} DESC LIMIT ?`,
      this.#index.match(phrases, belongs),
      before,
      ...visible.params,
      wanted,
    );
  }
}

function hasAll(phrases: readonly Phrase[], row: Row): boolean {
  return matches(phrases, termsOf(searchableText(storedMessage(row))));
}

function hitOf(row: Row, phrases: readonly Phrase[]): SearchHit {
  const message = storedMessage(row);
  return {
    sessionId: text<SessionId>(row.session_id),
    title: maybe(row.title, text),
    displayName: text(row.display_name),
    platform: text(row.platform),
    seq: message.seq,
    role: message.role,
    at: message.at,
    snippet: snippetOf(message, phrases),
  };
}

function readCursor(cursor: string | undefined): number {
  if (cursor === undefined) return Number.MAX_SAFE_INTEGER;
  if (!/^\d{1,15}$/.test(cursor)) {
    throw new InputError(
      "invalid_cursor",
      "This cursor is not one that search() gave out; start without it.",
    );
  }
  return Number(cursor);
}
