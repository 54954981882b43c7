/** The messages beside a hit: the nearest active ones of its session, a line each. */
import type { Neighbour } from "../../session/store.js";
import { cleanLine, shorten } from "../../util/text.js";
import type { Queries, Row } from "../db.js";
import { columnsOf } from "../sql/columns.js";
import { storedMessage } from "../sql/rows.js";
import { number, text } from "../sql/values.js";
import { searchableText } from "./terms.js";

const LINE_LENGTH = 160;
/** Of a long message, this much is cleaned for its line. */
const READ_LENGTH = 2_000;

export interface Beside {
  readonly before: readonly Neighbour[];
  readonly after: readonly Neighbour[];
}

export async function neighboursOf(db: Queries, hit: Row, count: number): Promise<Beside> {
  if (count === 0) return { before: [], after: [] };
  const of = async (side: string, order: "ASC" | "DESC"): Promise<Neighbour[]> => {
    const rows = await db.all(
      // What a rewrite removed may be much: it is skipped, not read.
      `SELECT ${columnsOf("messages", "m")} FROM sessions s CROSS JOIN messages m
       WHERE s.id = ? AND m.session_id = s.id AND m.seq >= s.active_from AND m.seq ${side} ? AND m.superseded_at IS NULL
       ORDER BY m.seq ${order} LIMIT ?`,
      text(hit.session_id),
      number(hit.seq),
      count,
    );
    return rows.map(neighbourOf);
  };
  return { before: (await of("<", "DESC")).reverse(), after: await of(">", "ASC") };
}

function neighbourOf(row: Row): Neighbour {
  const message = storedMessage(row);
  const line = cleanLine(searchableText(message).slice(0, READ_LENGTH));
  return { seq: message.seq, role: message.role, at: message.at, text: shorten(line, LINE_LENGTH) };
}
