/**
 * Search: the index for what it holds, and the tail of messages that it does not hold yet, so that results are complete.
 * Newest first, straight from the index: a word that stands in most messages costs no more than a rare one, since nothing
 * is ranked that is not shown. The index is read aside and gives ids only; messages are read a few at a time, so that
 * nobody waits for a search, whatever it looks for.
 */
import type { Viewer } from "../../session/access.js";
import { InputError } from "../../session/errors.js";
import type { SessionId } from "../../session/ids.js";
import type { Page, SearchHit, SearchOptions, SearchStore } from "../../session/store.js";
import { InTurns } from "../../util/in-turns.js";
import type { Db, Row } from "../db.js";
import type { SearchIndex } from "../search-index.js";
import { columnsOf } from "../sql/columns.js";
import { storedMessage } from "../sql/rows.js";
import { maybe, number, text } from "../sql/values.js";
import { readMarks, type SearchFeed, type SearchMarks } from "./feed.js";
import { filterFor, type SearchFilter } from "./filter.js";
import { type Beside, neighboursOf } from "./neighbours.js";
import { matches, type Phrase, parseQuery, snippetOf, withoutStars } from "./query.js";
import { searchableText, termsOf } from "./terms.js";

/** What is looked for, and how much of it. */
interface SearchLook {
  readonly phrases: readonly Phrase[];
  readonly filter: SearchFilter;
  /** Messages with smaller ids than this. */
  readonly before: number;
  readonly wanted: number;
}

/** A part of the index: messages above one id and up to another, with the labels that all of them have. */
interface IndexPart {
  readonly above: number;
  readonly through: number;
  readonly labels: readonly (readonly string[])[];
}

/** A tail longer than this is indexed before a search, not scanned by it. */
const MAX_TAIL = 1_000;
const TAIL_PAGE = 250;
/** Messages are read so many at once, and the searches have the event loop for so long. */
const FEW = 25;
const SHARE_MS = 4;
/**
 * The index takes its time to look up a word with a star, the longer, the more messages have one. So this many messages
 * that have all the rest are looked at one by one before.
 */
const MAX_CHECKED = 250;

const COLUMNS = `${columnsOf("messages", "m")}, s.owner, s.title, s.display_name, s.platform`;
/** CROSS JOIN holds SQLite to this order. */
const MESSAGES = "messages m CROSS JOIN sessions s WHERE s.id = m.session_id";

export class SqlSearch implements SearchStore {
  readonly #db: Db;
  readonly #index: SearchIndex;
  readonly #feed: SearchFeed;
  readonly #turns = new InTurns(SHARE_MS);
  #last: Promise<unknown> = Promise.resolve();

  constructor(db: Db, index: SearchIndex, feed: SearchFeed) {
    this.#db = db;
    this.#index = index;
    this.#feed = feed;
  }

  async search(text: string, viewer: Viewer, options: SearchOptions): Promise<Page<SearchHit>> {
    const { limit = 20, cursor, neighbours = 0 } = options;
    const before = readCursor(cursor);
    const phrases = parseQuery(text);
    if (phrases.length === 0) return { items: [], nextCursor: null };
    // What cannot be indexed now stays in the tail, which is read below.
    await this.#feed.catchUp(MAX_TAIL).catch(() => {});

    const filter = await filterFor(this.#db, viewer, options);
    const rows = await this.#find({ phrases, filter, before, wanted: limit + 1 });
    const items = await this.#inTurn(async (turns) => {
      const hits: SearchHit[] = [];
      for (const row of rows.slice(0, limit)) {
        await turns.next();
        hits.push(hitOf(row, phrases, await neighboursOf(this.#db, row, neighbours)));
      }
      return hits;
    });
    const last = rows.length > limit ? rows[limit - 1] : undefined;
    return { items, nextCursor: last ? String(last.id) : null };
  }

  indexAll(signal?: AbortSignal): Promise<void> {
    return this.#feed.indexAll(signal);
  }

  /** The marks come first: what is above them now is read as the tail, also if it gets into the index meanwhile. */
  async #find(look: SearchLook): Promise<Row[]> {
    const marks = await readMarks(this.#db);
    const found = await this.#tail(marks.indexedThrough, look);
    for (const part of partsOf(marks, look.filter)) {
      const wanted = look.wanted - found.length;
      if (wanted > 0) found.push(...(await this.#indexed(part, { ...look, wanted })));
    }
    return found;
  }

  /** Matching messages above the watermark, newest first. */
  async #tail(watermark: number, look: SearchLook): Promise<Row[]> {
    const found: Row[] = [];
    let { before } = look;
    while (found.length < look.wanted) {
      const ids = idsOf(
        await this.#db.all(
          `SELECT m.id FROM ${MESSAGES} AND m.id > ? AND m.id < ? AND ${look.filter.visible.sql} ORDER BY m.id DESC LIMIT ?`,
          watermark,
          before,
          ...look.filter.visible.params,
          TAIL_PAGE,
        ),
      );
      found.push(...(await this.#read(ids, { ...look, wanted: look.wanted - found.length }, hasAll)));
      if (ids.length < TAIL_PAGE) break;
      before = ids.at(-1) ?? before;
    }
    return found;
  }

  /** Matching messages that a part of the index holds, newest first. */
  async #indexed(part: IndexPart, look: SearchLook): Promise<Row[]> {
    if (look.before <= part.above + 1 || part.labels.some((group) => group.length === 0)) return [];
    const wider = withoutStars(look.phrases);
    const narrowed = wider && (wider.length > 0 || part.labels.length > 0 || look.filter.isOpen);
    if (!narrowed) return this.#matching(part, look);

    const ids = await this.#lookUp(part, { ...look, phrases: wider, wanted: MAX_CHECKED });
    const found = await this.#read(ids, look, hasAll);
    const before = ids.at(-1);
    if (before === undefined || ids.length < MAX_CHECKED || found.length === look.wanted) return found;
    const rest = { ...look, before, wanted: look.wanted - found.length };
    return [...found, ...(await this.#matching(part, rest))];
  }

  /** By the index alone. Goes on for those that changed since the index gave their ids. */
  async #matching(part: IndexPart, look: SearchLook): Promise<Row[]> {
    const found: Row[] = [];
    let { before } = look;
    for (;;) {
      const wanted = look.wanted - found.length;
      const ids = await this.#lookUp(part, { ...look, before, wanted });
      found.push(...(await this.#read(ids, look)));
      if (ids.length < wanted || found.length === look.wanted) return found;
      before = ids.at(-1) ?? before;
    }
  }

  async #lookUp(part: IndexPart, { phrases, filter, before, wanted }: SearchLook): Promise<number[]> {
    const { sql, params } = filter.visible;
    const range = [part.above, Math.min(before, part.through + 1)];
    if (phrases.length === 0 && part.labels.length === 0) {
      const any = `SELECT m.id FROM ${MESSAGES} AND m.id > ? AND m.id < ? AND ${sql} ORDER BY m.id DESC LIMIT ?`;
      return idsOf(await this.#db.readAside(any, ...range, ...params, wanted));
    }
    const { from, idColumn, condition } = this.#index;
    const rows = await this.#db.readAside(
      `SELECT m.id FROM ${from} CROSS JOIN sessions s WHERE ${condition} AND ${idColumn} > ? AND ${idColumn} < ?
         AND s.id = m.session_id AND ${sql} ORDER BY ${idColumn} DESC LIMIT ?`,
      this.#index.match(phrases, part.labels),
      ...range,
      ...params,
      wanted,
    );
    return idsOf(rows);
  }

  /** These messages, as many as wanted, unless they changed since their ids were found or do not pass the test. */
  #read(
    ids: readonly number[],
    { phrases, filter, wanted }: SearchLook,
    test: (phrases: readonly Phrase[], row: Row) => boolean = () => true,
  ): Promise<Row[]> {
    return this.#inTurn(async (turns) => {
      const found: Row[] = [];
      for (let start = 0; start < ids.length; start += FEW) {
        const some = Array.from({ length: FEW }, (_, place) => ids[start + place] ?? 0);
        const rows = await this.#db.all(
          `SELECT ${COLUMNS} FROM ${MESSAGES} AND m.id IN (${some.map(() => "?").join(", ")}) AND ${filter.visible.sql}
           ORDER BY m.id DESC`,
          ...some,
          ...filter.visible.params,
        );
        for (const row of rows) {
          await turns.next();
          if (test(phrases, row)) found.push(row);
          if (found.length === wanted) return found;
        }
      }
      return found;
    });
  }

  /** Work on messages, one search after another: so all of them together leave the event loop to others in time. */
  #inTurn<Result>(work: (turns: InTurns) => Promise<Result>): Promise<Result> {
    const result = this.#last.then(() => work(this.#turns));
    this.#last = result.catch(() => {}); // Its caller hears of it.
    return result;
  }
}

/** The newer part of the index has all labels; the other one those that every Baton wrote. */
function partsOf({ indexedThrough, labelledAbove }: SearchMarks, filter: SearchFilter): IndexPart[] {
  const { belongs, labels } = filter;
  return [
    { above: labelledAbove, through: indexedThrough, labels: [...belongs, ...labels] },
    { above: 0, through: labelledAbove, labels: belongs },
  ];
}

function idsOf(rows: readonly Row[]): number[] {
  return rows.map(({ id }) => number(id));
}

function hasAll(phrases: readonly Phrase[], row: Row): boolean {
  return matches(phrases, termsOf(searchableText(storedMessage(row))));
}

function hitOf(row: Row, phrases: readonly Phrase[], beside: Beside): SearchHit {
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
    ...beside,
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
