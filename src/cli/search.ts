/** `baton sessions search`: messages with these words, newest first, with those beside them. */

import { nameOf } from "../gateway/session-names.js";
import { OWNER } from "../session/access.js";
import { readFilters, type WrittenFilters } from "../session/search-filters.js";
import type { Neighbour, SearchHit } from "../session/store.js";
import { cleanLine } from "../util/text.js";
import { relativeTime } from "../util/words.js";
import { type Cli, withSessions } from "./cli.js";
import { highlight } from "./highlight.js";
import { nextPageCommand, type PageOptions } from "./options.js";
import type { Terminal } from "./terminal.js";
import { wrapLine } from "./wrap-line.js";

interface SearchCommandOptions extends PageOptions, WrittenFilters {
  readonly session?: string;
  readonly context?: number;
  readonly json?: boolean;
}

export function search(cli: Cli, words: readonly string[], options: SearchCommandOptions): Promise<void> {
  return withSessions(cli, "look", async (sessions) => {
    const { terminal } = cli;
    const query = words.join(" ");
    const now = Date.now();
    const only = options.session === undefined ? undefined : await sessions.find(options.session, OWNER);
    const { items, nextCursor } = await sessions.search(query, OWNER, {
      ...(await readFilters(options, { timeZone: sessions.timezone, now })),
      ...(only === undefined ? {} : { sessionId: only.sessionId }),
      ...(options.limit === undefined ? {} : { limit: options.limit }),
      ...(options.cursor === undefined ? {} : { cursor: options.cursor }),
      neighbours: options.context ?? 1,
    });
    if (options.json) return terminal.json({ hits: items, nextCursor });
    const [first] = items;
    if (!first) return terminal.line(sayNothing(options));
    for (const hit of items) {
      if (hit !== first) terminal.line();
      await printHit(terminal, hit, query, now);
    }
    const { paint } = terminal;
    terminal.line(`\n${paint.dim(`To open one: baton chat --session ${cleanLine(first.sessionId)}`)}`);
    if (nextCursor !== null) {
      const next = nextPageCommand(
        "search",
        { ...given(options), "--limit": options.limit },
        nextCursor,
        words,
      );
      terminal.line(paint.dim(`More: ${next}`));
    }
  });
}

async function printHit(terminal: Terminal, hit: SearchHit, query: string, now: number): Promise<void> {
  const { paint } = terminal;
  const print = async (text: string, indent: string, shown: (row: string) => string) => {
    const line = cleanLine(text);
    const rows = terminal.isSeen ? await wrapLine(line, terminal.columns - indent.length) : [line];
    for (const row of rows) terminal.row(`${indent}${shown(row)}`);
  };
  const beside = async (messages: readonly Neighbour[]) => {
    for (const { role, text } of messages) await print(`${role}: ${text}`, "    ", paint.dim);
  };
  const about = `${hit.role}, ${relativeTime(hit.at, now)}  ${cleanLine(hit.sessionId)} #${hit.seq}`;
  terminal.row(`${paint.bold(nameOf(hit))}  ${paint.dim(about)}`);
  await beside(hit.before);
  await print(hit.snippet, "  ", (row) => highlight(row, query, paint.mark));
  await beside(hit.after);
}

/** The filters, as they were typed. */
function given({ session, platform, role, after, before, context }: SearchCommandOptions) {
  return {
    "--session": session,
    "--platform": platform,
    "--role": role,
    "--after": after,
    "--before": before,
    "--context": context,
  };
}

function sayNothing(options: SearchCommandOptions): string {
  if (options.cursor !== undefined) return "No more messages.";
  const { "--context": _, ...filters } = given(options);
  const named = Object.entries(filters).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  if (named.length === 0) return "No message contains these words.";
  return `No message contains these words with ${named.join(", ")}. Search again without a filter to find more.`;
}
