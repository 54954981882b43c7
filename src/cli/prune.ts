/**
 * `baton sessions prune`: deletes sessions that ended long ago, and the files that only they used. Open sessions stay.
 */
import type { Swept } from "../gateway/media.js";
import { counted } from "../util/words.js";
import { type Cli, withSessions } from "./cli.js";
import { wrongUsage } from "./failure.js";

interface PruneOptions {
  readonly olderThan: number;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  readonly json?: boolean;
}

export async function prune(cli: Cli, options: PruneOptions): Promise<void> {
  const { terminal } = cli;
  const mayAsk = terminal.canAsk && !options.json;
  if (!options.yes && !options.dryRun && !mayAsk) {
    throw wrongUsage(
      "Pruning deletes messages for good. Add --yes to confirm, or --dry-run to see what would be deleted.",
    );
  }
  await withSessions(cli, options.dryRun ? "look" : "change", async (sessions, config) => {
    const endedBeforeMs = options.olderThan;
    const found = await sessions.prune({ endedBeforeMs, dryRun: true });
    if (options.dryRun) {
      if (options.json) return terminal.json({ ...found, removed: false });
      return terminal.line(found.sessions === 0 ? NONE : `Would delete ${amount(found)}.`);
    }
    if (!options.yes) {
      if (found.sessions === 0) return terminal.line(NONE);
      if (!(await terminal.confirm(`Delete ${amount(found)} for good?`)))
        return terminal.line("Nothing was deleted.");
    }
    const removed = await sessions.prune({ endedBeforeMs });
    const swept = await cli.sweepMedia(config);
    if (options.json) return terminal.json({ ...removed, ...swept, removed: true });
    terminal.line(removed.sessions === 0 ? NONE : `Deleted ${amount(removed)}.`);
    if (swept.files > 0) terminal.line(`Deleted ${files(swept)} that no message uses.`);
  });
}

const NONE = "No session ended that long ago.";

function files({ files, bytes }: Swept): string {
  const size = bytes < 2 ** 20 ? counted(bytes, "byte") : `${(bytes / 2 ** 20).toFixed(1)} MB`;
  return `${counted(files, "file")} (${size})`;
}

function amount({ sessions, messages }: { sessions: number; messages: number }): string {
  return `${counted(sessions, "ended session")} with ${counted(messages, "message")}`;
}
