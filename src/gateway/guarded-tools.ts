/**
 * The tools of one turn as its agent gets them: what is dangerous is asked about first, and each call is in the journal
 * before it acts and after it did. A call whose turn is another process's by now is not run.
 */
import type { Tool } from "../agent/agent.js";
import type { Approve } from "./approvals.js";
import { processNamed } from "./owner.js";
import type { ToolJournal, Turn } from "./store.js";

const CHANGED = "Error: not run: the folder has changed since this was approved.";
const NOT_OURS = "Error: not run, because this turn continues in another process.";

export function guardedTools(
  tools: readonly Tool[],
  turn: Turn,
  journal: ToolJournal,
  approve: Approve,
): readonly Tool[] {
  return tools.map((tool) => ({ ...tool, run: (args, context) => runGuarded(tool, args, context) }));

  async function runGuarded(tool: Tool, ...[args, context]: Parameters<Tool["run"]>): Promise<string> {
    const danger = (await tool.danger?.(args)) ?? null;
    if (danger !== null) {
      const refusal = await approve(tool.name, danger, context.signal);
      if (refusal !== null) return refusal;
      if ((await danger.isStillSo?.()) === false) return CHANGED;
    }
    if (!(await journal.started(turn, context.call))) return NOT_OURS;
    // Best effort: without it nobody is told that it outlived this process.
    const leads = (pid: number): void =>
      void journal.leads(turn, context.call, processNamed(pid)).catch(() => false);
    const approved = danger === null ? {} : { approved: danger };
    const result = await tool.run(args, { ...context, ...approved, leads });
    // It has acted, whatever becomes of this: the step that follows keeps the result, or says what went wrong.
    await journal.finished(turn, context.call, result).catch(() => false);
    return result;
  }
}
