/** The fence of a turn: every write of a turn begins with this. */
import type { Turn } from "../../gateway/store.js";
import type { Queries, SqlValue } from "../db.js";

/** Changes the turn's row if it is still running under this fence; where it is not, its holder was replaced. */
export async function holdTurn(
  db: Queries,
  turn: Turn,
  change: string,
  ...values: SqlValue[]
): Promise<boolean> {
  const sql = `UPDATE turns SET ${change} WHERE id = ? AND fence = ? AND state = 'running'`;
  return (await db.run(sql, ...values, turn.id, turn.fence)) === 1;
}
