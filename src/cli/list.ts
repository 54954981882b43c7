/** `baton sessions list`: newest activity first, a page at a time. */

import { nameOf, placeBesideName } from "../gateway/session-names.js";
import { OWNER } from "../session/access.js";
import type { Platform } from "../session/platform.js";
import type { SessionEntry } from "../session/session.js";
import type { SessionsView } from "../session/view.js";
import { compactNumber, relativeTime } from "../util/words.js";
import { type Cli, withSessions } from "./cli.js";
import { nextPageCommand, type PageOptions } from "./options.js";
import type { Column } from "./table.js";
import type { Terminal } from "./terminal.js";
import { printWelcome } from "./welcome.js";

interface ListOptions extends PageOptions {
  readonly platform?: Platform;
  readonly active?: { readonly text: string; readonly ms: number };
  readonly json?: boolean;
}

export function list(cli: Cli, options: ListOptions): Promise<void> {
  return withSessions(cli, "look", async (sessions) => {
    const { terminal } = cli;
    const view = sessions.as(OWNER);
    const { items, nextCursor } = await view.list({
      ...(options.platform === undefined ? {} : { platform: options.platform }),
      ...(options.active === undefined ? {} : { activeWithinMs: options.active.ms }),
      ...(options.limit === undefined ? {} : { limit: options.limit }),
      ...(options.cursor === undefined ? {} : { cursor: options.cursor }),
    });
    if (options.json) return terminal.json({ sessions: items, nextCursor });
    if (items.length === 0) return sayNothing(terminal, view, options);

    const alone = await view.alone([...new Set(items.flatMap((entry) => headOf(entry) ?? []))]);
    const rows = items.map((entry) => ({ entry, id: shortId(entry, alone) }));
    const { printTable } = await import("./table.js");
    await printTable(terminal, columnsFor(terminal), rows);
    if (nextCursor !== null) {
      const asked = {
        "--platform": options.platform,
        "--active": options.active?.text,
        "--limit": options.limit,
      };
      const next = nextPageCommand("list", asked, nextCursor);
      terminal.line(`\n${terminal.paint.dim(`More: ${next}`)}`);
    }
  });
}

async function sayNothing(terminal: Terminal, view: SessionsView, options: ListOptions): Promise<void> {
  if (options.cursor !== undefined) return terminal.line("No more sessions.");
  const { items } = await view.list({ limit: 1 });
  if (items.length === 0) return printWelcome(terminal);
  terminal.line("No sessions match. Run `baton sessions list` without options to see all of them.");
}

interface SessionListRow {
  readonly entry: SessionEntry;
  readonly id: string;
}

function columnsFor({ paint }: Terminal): Column<SessionListRow>[] {
  const now = Date.now();
  return [
    { title: "ID", cell: ({ id }) => id, paint: (text) => paint.cyan(text) },
    {
      title: "TITLE",
      cell: ({ entry }) => nameOf(entry),
      flexible: true,
      paint: (text, { entry }) => (entry.title === null ? text : paint.bold(text)),
    },
    { title: "WHERE", cell: ({ entry }) => placeBesideName(entry), flexible: true },
    { title: "MSGS", cell: ({ entry }) => compactNumber(entry.messageCount), align: "right" },
    { title: "TOKENS", cell: ({ entry }) => compactNumber(entry.totalTokens), align: "right" },
    { title: "ACTIVE", cell: ({ entry }) => relativeTime(entry.updatedAt, now) },
    {
      title: "",
      cell: ({ entry }) => endOf(entry),
      paint: (text) => paint.dim(text),
    },
  ];
}

function endOf({ endReason }: SessionEntry): string {
  return endReason === null || endReason === "ended" ? (endReason ?? "") : `ended: ${endReason}`;
}

/** The date and time that an id starts with, if no other session has them. */
function shortId(entry: SessionEntry, alone: ReadonlyMap<string, string>): string {
  const head = headOf(entry);
  return head !== undefined && alone.get(head) === entry.sessionId ? head : entry.sessionId;
}

function headOf({ sessionId }: SessionEntry): string | undefined {
  return /^\d{8}_\d{6}(?=_)/.exec(sessionId)?.[0];
}
