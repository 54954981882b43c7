/** The journal of tool calls. Each write holds the turn by its fence: whoever was replaced starts nothing more. */

import type { JournaledCall, ToolJournal, Turn } from "../../gateway/store.js";
import { CALL_STATES } from "../../gateway/store.js";
import type { ToolCall } from "../../session/transcript.js";
import { storableText } from "../../util/text.js";
import type { Db, Queries, Row } from "../db.js";
import { columnsOf } from "./columns.js";
import { holdTurn } from "./hold-turn.js";
import { maybe, oneOf, text } from "./values.js";

export class SqlToolJournal implements ToolJournal {
  readonly #db: Db;

  constructor(db: Db) {
    this.#db = db;
  }

  planned(turn: Turn, call: ToolCall, said: string): Promise<boolean> {
    return this.#holding(turn, (tx) => insert(tx, turn, call, said, "planned"));
  }

  started(turn: Turn, call: ToolCall): Promise<boolean> {
    return this.#holding(turn, async (tx) => {
      const changed = await tx.run(
        `UPDATE tool_calls SET state = 'started' WHERE id =
           (SELECT min(id) FROM tool_calls WHERE turn_id = ? AND call_id = ? AND state = 'planned')`,
        turn.id,
        storableText(call.id),
      );
      if (changed === 0) await insert(tx, turn, call, "", "started");
    });
  }

  leads(turn: Turn, call: ToolCall, process: string): Promise<boolean> {
    return this.#holding(turn, async (tx) => {
      await tx.run(
        `UPDATE tool_calls SET process = ? WHERE id =
           (SELECT min(id) FROM tool_calls WHERE turn_id = ? AND call_id = ? AND state = 'started')`,
        process,
        turn.id,
        storableText(call.id),
      );
    });
  }

  finished(turn: Turn, call: ToolCall, result: string): Promise<boolean> {
    return this.#holding(turn, async (tx) => {
      await tx.run(
        `UPDATE tool_calls SET state = 'finished', result = ? WHERE id =
           (SELECT min(id) FROM tool_calls WHERE turn_id = ? AND call_id = ? AND state = 'started')`,
        storableText(result),
        turn.id,
        storableText(call.id),
      );
    });
  }

  async open(turn: Turn): Promise<JournaledCall[]> {
    const rows = await this.#db.all(
      `SELECT ${columnsOf("tool_calls")} FROM tool_calls WHERE turn_id = ? ORDER BY id`,
      turn.id,
    );
    return rows.map(journaledCall);
  }

  #holding(turn: Turn, work: (tx: Queries) => Promise<void>): Promise<boolean> {
    return this.#db.transaction(async (tx) => {
      if (!(await holdTurn(tx, turn, "fence = fence"))) return false;
      await work(tx);
      return true;
    });
  }
}

/** The step that these calls belong to is in the transcript. */
export async function forgetCalls(tx: Queries, turn: Turn): Promise<void> {
  await tx.run("DELETE FROM tool_calls WHERE turn_id = ?", turn.id);
}

async function insert(
  tx: Queries,
  turn: Turn,
  call: ToolCall,
  said: string,
  state: JournaledCall["state"],
): Promise<void> {
  await tx.run(
    "INSERT INTO tool_calls (turn_id, call_id, name, arguments, said, state) VALUES (?, ?, ?, ?, ?, ?)",
    turn.id,
    storableText(call.id),
    storableText(call.name),
    storableText(call.arguments),
    storableText(said),
    state,
  );
}

function journaledCall(row: Row): JournaledCall {
  return {
    call: { id: text(row.call_id), name: text(row.name), arguments: text(row.arguments) },
    said: text(row.said),
    state: oneOf(row.state, CALL_STATES),
    result: maybe(row.result, text),
    process: maybe(row.process, text),
  };
}
