/** `baton sessions import`: imports conversations from other tools and from our own exports. */
import { existsSync } from "node:fs";
import type { ImportedSession, ImportFormat, ImportReport } from "../session/transfer.js";
import { cleanLine } from "../util/text.js";
import { counted } from "../util/words.js";
import { type Cli, withSessions } from "./cli.js";
import { CliError } from "./failure.js";
import { StopSigns } from "./stop-signs.js";
import type { Column } from "./table.js";
import type { Terminal } from "./terminal.js";

interface ImportCommandOptions {
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

/** The rest is only counted; `--json` shows everything. */
const SHOWN = 50;
const SOURCES = 10;

export async function importAll(cli: Cli, path: string, options: ImportCommandOptions): Promise<void> {
  const { terminal } = cli;
  const { UNTOLD, whileTold } = await import("../gateway/told-work.js");
  const purpose = options.dryRun || !existsSync(path) ? "look" : "write";
  const stopping = new AbortController();
  const stop = new StopSigns(cli, async () => stopping.abort());
  let progress = "";
  const stopped = (): string => {
    const rest = options.dryRun ? "" : " To import the rest, run the same command again.";
    return `Stopped${progress && ` after ${progress}`}.${rest}`;
  };
  const report = await withSessions(cli, purpose, async (sessions, config) => {
    try {
      return await whileTold(
        options.dryRun
          ? Promise.resolve(UNTOLD)
          : cli.openWork(config, { what: "Import", unit: "sessions", total: null }),
        (told) =>
          cli.importSessions(path, sessions, {
            dryRun: options.dryRun ?? false,
            scopes: config.sessions.scopes ?? {},
            onProgress: (done, total) => {
              told.tell(done, total);
              progress = `${done} of ${counted(total, "session")}`;
              terminal.progress(done < total ? progress : `${progress}, updating the search index …`);
            },
            signal: stopping.signal,
          }),
        ({ totals }) =>
          stopping.signal.aborted ? stopped() : `${totals.new} new, ${totals.extended} extended`,
      );
    } finally {
      terminal.progress("");
      stop.end();
    }
  }).catch((error: unknown) => {
    stop.isUnread(stopped());
    throw error;
  });
  if (options.json) terminal.json(report);
  else await printReport(terminal, report);
  if (stop.isUnread(stopped())) return;
  if (report.sessions.length === 0) {
    throw new CliError("import_unreadable", `Found no session to import in ${path}.`);
  }
}

async function printReport(
  terminal: Terminal,
  { sources, sessions, totals, problems, unknownPlatforms, dryRun }: ImportReport,
): Promise<void> {
  const { printTable } = await import("./table.js");
  for (const { path, format } of sources.slice(0, SOURCES)) {
    terminal.line(cleanLine(`${path}: ${NAMES[format]}`));
  }
  if (sources.length > SOURCES) terminal.line(`… ${counted(sources.length - SOURCES, "more folder")}`);
  if (sources.length > 0) terminal.line();
  if (sessions.length > 0) await printTable(terminal, columns, sessions.slice(0, SHOWN));
  if (sessions.length > SHOWN) terminal.line(`… ${counted(sessions.length - SHOWN, "more session")}`);
  const noted = sessions.filter(({ note }) => note);
  for (const { sessionId, note } of noted.slice(0, SHOWN)) terminal.line(cleanLine(`${sessionId}: ${note}`));
  if (noted.length > SHOWN) terminal.line(`… ${counted(noted.length - SHOWN, "more note")}`);
  for (const { file, line, reason } of problems.slice(0, SHOWN)) {
    terminal.problem(cleanLine(`${file}:${line === null ? "" : `${line}:`} ${reason}`));
  }
  const unlisted = totals.problems - Math.min(SHOWN, problems.length);
  if (unlisted > 0) terminal.problem(`… ${counted(unlisted, "more problem")}`);
  for (const { name, sessions: count } of unknownPlatforms) terminal.problem(unknownText(name, count));

  const parts = [
    `${totals.new} new`,
    `${totals.extended} extended`,
    `${totals.present} already there`,
    counted(totals.added, "message"),
    ...(totals.problems > 0
      ? [
          `${counted(totals.problems, "problem")} (listed above; the rest ${dryRun ? "can come in" : "was imported"})`,
        ]
      : []),
    ...(totals.bookkeeping > 0 ? [`${counted(totals.bookkeeping, "line")} without a message left out`] : []),
  ];
  const verb = dryRun ? "Would import" : "Imported";
  if (sessions.length > 0) terminal.line(`\n${verb}: ${parts.join(", ")}.`);
}

const NAMES: Readonly<Record<ImportFormat, string>> = {
  "sessions-json": "sessions.json with transcripts",
  "metadata-jsonl": "transcripts, one file a session",
  sqlite: "a database of sessions",
  openclaw: "sessions of OpenClaw",
  "claude-code": "transcripts of Claude Code",
};

function unknownText(name: string, count: number): string {
  const [of, come] =
    count === 1 ? ["is of", "It comes in as a local session"] : ["are of", "They come in as local sessions"];
  return cleanLine(
    `${counted(count, "session")} ${of} "${name}", a platform that this Baton does not know. ${come} that only you see. To continue one, run \`baton chat --session <id>\`.`,
  );
}

const columns: readonly Column<ImportedSession>[] = [
  { title: "ID", cell: ({ sessionId }) => sessionId, flexible: true },
  { title: "TITLE", cell: ({ title }) => title ?? "", flexible: true },
  { title: "KEY", cell: ({ key }) => key, flexible: true },
  { title: "MSGS", cell: ({ messages }) => String(messages), align: "right" },
  { title: "ADDED", cell: ({ added }) => String(added), align: "right" },
  { title: "STATUS", cell: ({ status }) => status },
];
