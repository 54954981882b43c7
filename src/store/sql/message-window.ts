/** The last messages of a session as the model sees them, and what tells whether they still are the last ones. */
import { keptMessage } from "../../session/history-window.js";
import type { TranscriptEnd } from "../../session/store.js";
import type { Summary } from "../../session/summary.js";
import type { Message } from "../../session/transcript.js";
import type { Row } from "../db.js";
import { storedMessage } from "./rows.js";
import { number } from "./values.js";

/** So many more than needed may stay: then the older ones are not moved with every turn. */
const SPARE = 100;
/** About how many bytes a message takes besides its text. */
const MESSAGE = 200;

/** Where the messages that count begin, and the summary of those before; null if none are hidden. */
export interface WindowBegin {
  readonly seq: number;
  readonly summary: Summary | null;
}
type LastRow = Readonly<Record<"seq" | (typeof SAME)[number], Row[string] | undefined>>;

/** By these the last message tells whether it still is the one. `erased_at` is of its session. */
const SAME = ["id", "at", "erased_at"] as const;

export class MessageWindow {
  /** Every active message from this number on is here. */
  #from: number;
  /** Messages before this do not count now. */
  #begins: WindowBegin;
  /** Oldest first. */
  readonly #messages: Message[] = [];
  /** Their numbers, and when they were written. */
  readonly #seqs: number[] = [];
  readonly #times: number[] = [];
  /** How many somebody has asked for, at most. */
  #most: number;
  #last: LastRow | null = null;
  #size = 0;

  constructor(from: number, begins: WindowBegin, rows: readonly Row[], most: number) {
    this.#from = from;
    this.#begins = begins;
    this.#most = most;
    this.add(rows, begins);
  }

  /** The number of the last message; null if there is none. */
  get lastSeq(): number | null {
    return this.#last && number(this.#last.seq);
  }

  /** About how many bytes it takes. */
  get size(): number {
    return this.#size;
  }

  /** True if this is its last message, as it was, and nobody was erased from the session since. */
  endsWith(row: Row): boolean {
    return SAME.every((column) => row[column] === this.#last?.[column]);
  }

  /** True if no more than these are needed to give so many. */
  isEnoughFor(limit: number): boolean {
    return this.#from <= this.#begins.seq || this.#messages.length - this.#begin() >= limit;
  }

  /** Puts newer ones behind, oldest first. */
  add(rows: readonly Row[], begins: WindowBegin): void {
    this.#begins = begins;
    for (const row of rows) {
      const message = keptMessage(storedMessage(row));
      this.#messages.push(message);
      this.#seqs.push(number(row.seq));
      this.#times.push(number(row.at));
      this.#size += sizeOf(message);
    }
    const last = rows.at(-1);
    if (last) this.#last = { seq: last.seq, id: last.id, at: last.at, erased_at: last.erased_at };
  }

  /** The last ones that count, at most so many. */
  lastOnes(limit: number): TranscriptEnd {
    const first = Math.max(this.#begin(), this.#messages.length - limit);
    const { summary } = this.#begins;
    return {
      summary,
      messages: this.#messages.slice(first),
      seqs: this.#seqs.slice(first),
      times: this.#times.slice(first),
    };
  }

  /** Forgets the oldest ones, so that about so many are left, or as many as somebody has asked for before. */
  cutTo(limit: number): void {
    this.#most = Math.max(this.#most, limit);
    const excess = this.#messages.length - this.#most;
    if (excess <= SPARE) return;
    for (const message of this.#messages.splice(0, excess)) this.#size -= sizeOf(message);
    this.#seqs.splice(0, excess);
    this.#times.splice(0, excess);
    this.#from = this.#seqs[0] ?? Number.POSITIVE_INFINITY;
  }

  /** The place of the first message that counts. */
  #begin(): number {
    const begin = this.#seqs.findIndex((seq) => seq >= this.#begins.seq);
    return begin < 0 ? this.#seqs.length : begin;
  }
}

function sizeOf(message: Message): number {
  const said = MESSAGE + message.content.length;
  if (message.role !== "assistant") return said;
  return said + (message.toolCalls?.reduce((sum, call) => sum + MESSAGE + call.arguments.length, 0) ?? 0);
}
