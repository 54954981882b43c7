/** `baton sessions import`: imports conversations from other tools and from our own exports. */
import { existsSync } from "node:fs";
import type { ImportedSession, ImportReport } from "../session/transfer.js";
import { cleanLine } from "../util/text.js";
import { counted } from "../util/words.js";
import { type Cli, withSessions } from "./cli.js";
import { CliError } from "./failure.js";
import type { Column } from "./table.js";
import type { Terminal } from "./terminal.js";

interface ImportCommandOptions {
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

/** The rest is only counted; `--json` shows everything. */
const SHOWN = 50;

export async function importAll(cli: Cli, path: string, options: ImportCommandOptions): Promise<void> {
  const { terminal } = cli;
  const purpose = options.dryRun || !existsSync(path) ? "look" : "write";
  const report = await withSessions(cli, purpose, async (sessions, config) => {
    try {
      return await cli.importSessions(path, sessions, {
        dryRun: options.dryRun ?? false,
        scopes: config.sessions.scopes ?? {},
        onProgress: (done, total) => terminal.progress(`${done} of ${counted(total, "session")}`),
      });
    } finally {
      terminal.progress("");
    }
  });
  if (options.json) terminal.json(report);
  else await printReport(terminal, report);
  if (report.sessions.length === 0) {
    throw new CliError("import_unreadable", `Found no session to import in ${path}.`);
  }
}

async function printReport(
  terminal: Terminal,
  { sessions, totals, problems, dryRun }: ImportReport,
): Promise<void> {
  const { printTable } = await import("./table.js");
  if (sessions.length > 0) await printTable(terminal, columns, sessions.slice(0, SHOWN));
  if (sessions.length > SHOWN) terminal.line(`… ${counted(sessions.length - SHOWN, "more session")}`);
  for (const { file, line, reason } of problems.slice(0, SHOWN)) {
    terminal.problem(cleanLine(`${file}:${line === null ? "" : `${line}:`} ${reason}`));
  }
  if (problems.length > SHOWN) terminal.problem(`… ${counted(problems.length - SHOWN, "more problem")}`);

  const parts = [
    `${totals.new} new`,
    `${totals.extended} extended`,
    `${totals.present} already there`,
    counted(totals.added, "message"),
    ...(problems.length > 0
      ? [`${counted(problems.length, "problem")} (listed above; the rest was imported)`]
      : []),
  ];
  const verb = dryRun ? "Would import" : "Imported";
  if (sessions.length > 0) terminal.line(`\n${verb}: ${parts.join(", ")}.`);
}

const columns: readonly Column<ImportedSession>[] = [
  { title: "ID", cell: ({ sessionId }) => sessionId, flexible: true },
  { title: "TITLE", cell: ({ title }) => title ?? "", flexible: true },
  { title: "KEY", cell: ({ key }) => key, flexible: true },
  { title: "MSGS", cell: ({ messages }) => String(messages), align: "right" },
  { title: "ADDED", cell: ({ added }) => String(added), align: "right" },
  { title: "STATUS", cell: ({ status, note }) => (note ? `${status}: ${note}` : status), flexible: true },
];
