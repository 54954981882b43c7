/** `baton sessions search`: messages with these words, newest first. */
import { OWNER } from "../session/access.js";
import { cleanLine } from "../util/text.js";
import { relativeTime } from "../util/words.js";
import { type Cli, withSessions } from "./cli.js";
import { nameOf } from "./describe.js";
import { highlight } from "./highlight.js";
import { nextPageCommand, type PageOptions } from "./options.js";

interface SearchCommandOptions extends PageOptions {
  readonly session?: string;
  readonly json?: boolean;
}

export function search(cli: Cli, words: readonly string[], options: SearchCommandOptions): Promise<void> {
  return withSessions(cli, "look", async (sessions) => {
    const { terminal } = cli;
    const { paint } = terminal;
    const query = words.join(" ");
    const only = options.session === undefined ? undefined : await sessions.find(options.session, OWNER);
    const { items, nextCursor } = await sessions.search(query, OWNER, {
      ...(only === undefined ? {} : { sessionId: only.sessionId }),
      ...(options.limit === undefined ? {} : { limit: options.limit }),
      ...(options.cursor === undefined ? {} : { cursor: options.cursor }),
    });
    if (options.json) return terminal.json({ hits: items, nextCursor });
    if (items.length === 0) {
      return terminal.line(
        options.cursor === undefined ? "No message contains these words." : "No more messages.",
      );
    }
    const now = Date.now();
    items.forEach((hit, index) => {
      if (index > 0) terminal.line();
      const when = relativeTime(hit.at, now);
      terminal.line(
        `${paint.bold(nameOf(hit))}  ${paint.dim(`${hit.role}, ${when}  ${cleanLine(hit.sessionId)} #${hit.seq}`)}`,
      );
      terminal.line(`  ${highlight(cleanLine(hit.snippet), query, paint.mark)}`);
    });
    if (nextCursor !== null) {
      const asked = { "--session": options.session, "--limit": options.limit };
      const next = nextPageCommand("search", asked, nextCursor, words);
      terminal.line(`\n${paint.dim(`More: ${next}`)}`);
    }
  });
}
