/** Tool calls of running turns, from before they run until their step is kept in the transcript; lanes by their chat. */
import type { Dialect } from "../db.js";

export function tools({ text, autoId, tableEnd }: Dialect): readonly string[] {
  return [
    `CREATE TABLE tool_calls (
      id ${autoId},
      turn_id ${text} NOT NULL REFERENCES turns (id),
      call_id ${text} NOT NULL,
      name ${text} NOT NULL,
      arguments ${text} NOT NULL,
      said ${text} NOT NULL,
      state ${text} NOT NULL,
      result ${text}
    ) ${tableEnd}`,
    "CREATE INDEX tool_calls_by_turn ON tool_calls (turn_id, call_id)",
    "CREATE INDEX routes_by_chat ON routes (chat)",
  ];
}
