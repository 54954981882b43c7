/**
 * Search by role, time and platform: messages above `labelled_above` have the labels of these in the index. The feed
 * labels the others in the background, newest first; until then search looks at their rows instead.
 */
import type { Dialect } from "../db.js";

/** Sessions that are on another platform than their owner, and so in the index under that one. */
export const AWAY =
  "substr(owner, 1, length(platform) + 8) <> 'person:' || platform || ':' AND substr(owner, 1, length(platform) + 6) <> 'chat:' || platform || ':'";

/** FTS5 would merge parts of the index whenever it likes, for a second in a large one; the feed does it step by step. */
const MERGE_BY_HAND = [
  "INSERT INTO message_terms (message_terms, rank) VALUES ('automerge', 0)",
  "INSERT INTO message_terms (message_terms, rank) VALUES ('crisismerge', 1000)",
];

export function searchLabels({ int, name }: Dialect): readonly string[] {
  return [
    ...(name === "sqlite" ? MERGE_BY_HAND : []),
    `ALTER TABLE search_watermark ADD COLUMN labelled_above ${int} NOT NULL DEFAULT 0`,
    "UPDATE search_watermark SET labelled_above = indexed_through",
    `CREATE INDEX sessions_away ON sessions (platform) WHERE ${AWAY}`,
  ];
}
