/**
 * `baton sessions prune`: removes sessions that ended long ago, and files of messages that nothing refers to any more.
 * Nothing that is open is ever removed.
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
      "Pruning removes messages for good. Add --yes to do it, or --dry-run to see what would go.",
    );
  }
  await withSessions(cli, "look", async (sessions, config) => {
    const endedBeforeMs = options.olderThan;
    const found = await sessions.prune({ endedBeforeMs, dryRun: true });
    if (options.dryRun) {
      if (options.json) return terminal.json({ ...found, removed: false });
      return terminal.line(found.sessions === 0 ? NONE : `${amount(found)} would be removed.`);
    }
    if (!options.yes) {
      if (found.sessions === 0) return terminal.line(NONE);
      if (!(await terminal.confirm(`Remove ${amount(found)} for good?`)))
        return terminal.line("Nothing was removed.");
    }
    const removed = await sessions.prune({ endedBeforeMs });
    const swept = await cli.sweepMedia(config);
    if (options.json) return terminal.json({ ...removed, ...swept, removed: true });
    terminal.line(removed.sessions === 0 ? NONE : `Removed ${amount(removed)}.`);
    if (swept.files > 0) terminal.line(`Removed ${files(swept)} that no message refers to any more.`);
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
