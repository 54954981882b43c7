/**
 * `baton sessions prune`: removes sessions that ended long ago, or the oldest ones until the store is small enough, and the files
 * that only they used. Each is written to the archive first. Open sessions stay.
 */
import { resolve } from "node:path";
import type { Config } from "../config/config.js";
import type { Swept } from "../gateway/media.js";
import type { RetentionAmount, RetentionRules } from "../session/retention.js";
import { cleanLine, printableText } from "../util/text.js";
import { counted, relativeTime } from "../util/words.js";
import type { Cli } from "./cli.js";
import { wrongUsage } from "./failure.js";

interface PruneOptions {
  readonly olderThan?: number;
  /** In bytes. */
  readonly maxSize?: number;
  /** False for none. */
  readonly archive?: string | boolean;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  readonly json?: boolean;
}

const DAY_MS = 86_400_000;
const MEGABYTE = 2 ** 20;

/** What the settings ask for. */
export function retentionRules({ retention }: Pick<Config, "retention">): RetentionRules {
  const { endedAfterDays, maxMegabytes } = retention;
  return {
    endedBeforeMs: endedAfterDays === null ? null : endedAfterDays * DAY_MS,
    maxBytes: maxMegabytes === null ? null : maxMegabytes * MEGABYTE,
  };
}

export async function prune(cli: Cli, options: PruneOptions): Promise<void> {
  const { terminal } = cli;
  const config = await cli.loadConfig();
  const rules = rulesOf(options, config);
  const mayAsk = terminal.canAsk && !options.json;
  if (!options.yes && !options.dryRun && !mayAsk) {
    throw wrongUsage(
      "Pruning deletes messages for good. Add --yes to confirm, or --dry-run to see what would be deleted.",
    );
  }
  const folder = archiveOf(cli, options, config);
  const open = await cli.openRetention(config, options.dryRun ? "look" : "change");
  try {
    const found = await open.plan(rules);
    if (options.dryRun) {
      const shown = found.oldest.map(({ sessionId, title, endedAt }) => ({ sessionId, title, endedAt }));
      const { sessions, messages, bytes: textBytes } = found;
      if (options.json)
        return terminal.json({
          sessions,
          messages,
          textBytes,
          oldest: shown,
          archive: folder,
          removed: false,
        });
      return showPlan(cli, found, folder);
    }
    if (!options.yes) {
      if (found.sessions === 0) return terminal.line(NONE);
      if (!(await terminal.confirm(`Delete ${amount(found)}, ${archiveWords(folder)}?`)))
        return terminal.line("Nothing was deleted.");
    }
    const removed = await open
      .apply(rules, folder, (done) =>
        terminal.progress(`${done.sessions} of ${counted(found.sessions, "session")} deleted`),
      )
      .finally(() => terminal.progress(""));
    const swept = await cli.sweepMedia(config);
    if (options.json) {
      const { sessions, messages, bytes: textBytes } = removed;
      return terminal.json({ sessions, messages, textBytes, ...swept, archive: folder, removed: true });
    }
    terminal.line(removed.sessions === 0 ? NONE : `Deleted ${amount(removed)}.`);
    if (removed.sessions > 0 && folder !== null)
      terminal.line(`They are archived in ${printableText(folder)}.`);
    if (swept.files > 0) terminal.line(`Deleted ${files(swept)} that no message uses.`);
  } finally {
    await open.close();
  }
}

/** What is given on the command line counts; without any of it, the settings. */
function rulesOf({ olderThan, maxSize }: PruneOptions, config: Config): RetentionRules {
  if (olderThan !== undefined || maxSize !== undefined)
    return { endedBeforeMs: olderThan ?? null, maxBytes: maxSize ?? null };
  const rules = retentionRules(config);
  if (rules.endedBeforeMs !== null || rules.maxBytes !== null) return rules;
  throw wrongUsage(
    "Say what to delete: --older-than 90d, --max-size 500, or set `retention.endedAfterDays` in config.yaml.",
  );
}

function archiveOf({ workingFolder }: Cli, { archive }: PruneOptions, config: Config): string | null {
  if (archive === false) return null;
  return typeof archive === "string" ? resolve(workingFolder, archive) : config.retention.archive;
}

function showPlan({ terminal }: Cli, found: RetentionAmount, folder: string | null): void {
  if (found.sessions === 0) {
    terminal.line(NONE);
    return;
  }
  terminal.line(`Would delete ${amount(found)}, ${archiveWords(folder)}.`);
  terminal.line("The oldest:");
  for (const { sessionId, title, displayName, endedAt } of found.oldest) {
    const name = cleanLine(title ?? displayName);
    terminal.line(`  ${sessionId}  ended ${relativeTime(endedAt ?? 0, Date.now())}  ${name}`);
  }
}

const NONE = "There is no ended session to delete.";

function archiveWords(folder: string | null): string {
  return folder === null ? "without an archive" : `after writing them to ${printableText(folder)}`;
}

function files({ files, bytes }: Swept): string {
  return `${counted(files, "file")} (${size(bytes)})`;
}

function amount({ sessions, messages, bytes }: RetentionAmount): string {
  return `${counted(sessions, "ended session")} with ${counted(messages, "message")} (${size(bytes)})`;
}

function size(bytes: number): string {
  return bytes < MEGABYTE ? counted(bytes, "byte") : `${(bytes / MEGABYTE).toFixed(1)} MB`;
}
