/**
 * The tools of one turn as its agent gets them: dangerous calls are approved first, and the journal records each call
 * before and after it acts. If another process has taken the turn, the call does not run.
 */
import type { ToolProgress, ToolWatch } from "../adapter/live-reply.js";
import type { Tool, ToolContext } from "../agent/agent.js";
import { processNamed } from "../util/holder.js";
import type { Approve } from "./approvals.js";
import type { ToolJournal, Turn } from "./store.js";

const CHANGED = "Error: not run: the folder has changed since this was approved.";
const NOT_OURS = "Error: not run, because this turn continues in another process.";

export function guardedTools(
  tools: readonly Tool[],
  turn: Turn,
  journal: ToolJournal,
  approve: Approve,
  /** What the turn gives to its tools besides. */
  given: Pick<ToolContext, "background" | "files"> = {},
  /** Learns when a call acts, which is not while it waits for approval, and what it prints. */
  watch?: ToolWatch,
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
    // Best effort: without it, nobody learns that the command outlived this process.
    const leads = (pid: number): void =>
      void journal.leads(turn, context.call, processNamed(pid)).catch(() => false);
    const approved = danger === null ? {} : { approved: danger };
    const tell = (progress: ToolProgress): void => watch?.toolProgress?.(context.call, progress);
    const output = (text: string, skipped: number): void => tell({ kind: "output", text, skipped });
    tell({ kind: "started" });
    let result: string;
    try {
      result = await tool.run(args, {
        ...context,
        ...{ ...given, ...approved, leads },
        ...(watch?.toolProgress ? { output } : {}),
      });
    } finally {
      tell({ kind: "ended" });
    }
    // The tool has acted, whether this succeeds or not: the next step stores the result, or says what went wrong.
    await journal.finished(turn, context.call, result).catch(() => false);
    return result;
  }
}
