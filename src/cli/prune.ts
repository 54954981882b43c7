/** `baton sessions prune`: removes sessions that ended long ago. Nothing that is open is ever removed. */
import type { Command } from "commander";
import { counted } from "../util/words.js";
import { type Cli, withSessions } from "./cli.js";
import { wrongUsage } from "./failure.js";
import { duration, examples, jsonOption } from "./options.js";

interface PruneOptions {
  readonly olderThan: number;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  readonly json?: boolean;
}

export function addPrune(parent: Command, cli: Cli): void {
  const command = parent
    .command("prune")
    .description("remove sessions that ended long ago, with their messages")
    .requiredOption("--older-than <time>", "how long ago they ended: 90d, 12w", duration)
    .option("--dry-run", "only say what would be removed")
    .option("--yes", "do not ask")
    .addHelpText("after", examples("sessions prune --older-than 90d --dry-run"));
  jsonOption(command).action((options: PruneOptions) => prune(cli, options));
}

async function prune(cli: Cli, options: PruneOptions): Promise<void> {
  const { terminal } = cli;
  const mayAsk = terminal.canAsk && !options.json;
  if (!options.yes && !options.dryRun && !mayAsk) {
    throw wrongUsage(
      "Pruning removes messages for good. Add --yes to do it, or --dry-run to see what would go.",
    );
  }
  await withSessions(cli, "look", async (sessions) => {
    const endedBeforeMs = options.olderThan;
    const found = await sessions.prune({ endedBeforeMs, dryRun: true });
    if (options.dryRun || found.sessions === 0) {
      if (options.json) return terminal.json({ ...found, removed: false });
      return terminal.line(
        found.sessions === 0 ? "No session ended that long ago." : `${amount(found)} would be removed.`,
      );
    }
    if (!options.yes && !(await terminal.confirm(`Remove ${amount(found)} for good?`))) {
      return terminal.line("Nothing was removed.");
    }
    const removed = await sessions.prune({ endedBeforeMs });
    if (options.json) return terminal.json({ ...removed, removed: true });
    terminal.line(`Removed ${amount(removed)}.`);
  });
}

function amount({ sessions, messages }: { sessions: number; messages: number }): string {
  return `${counted(sessions, "ended session")} with ${counted(messages, "message")}`;
}
