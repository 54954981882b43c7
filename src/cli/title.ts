/** `baton sessions title`: shows, sets or removes the title of a session. */

import { nameOf } from "../gateway/session-names.js";
import { OWNER } from "../session/access.js";
import { cleanLine } from "../util/text.js";
import { type Cli, withSessions } from "./cli.js";
import { wrongUsage } from "./failure.js";

interface TitleOptions {
  readonly clear?: boolean;
  readonly json?: boolean;
}

export async function title(
  cli: Cli,
  which: string,
  words: readonly string[],
  options: TitleOptions,
): Promise<void> {
  const text = words.join(" ");
  if (options.clear && words.length > 0) throw wrongUsage("Give a title or --clear, not both.");
  if (words.length > 0 && cleanLine(text) === "") {
    throw wrongUsage("The title is empty. Use --clear to remove a title.");
  }
  const changes = options.clear === true || words.length > 0;
  await withSessions(cli, changes ? "change" : "look", async (sessions) => {
    const { terminal } = cli;
    const view = sessions.as(OWNER);
    const found = await view.find(which);
    const entry = changes ? await view.setTitle(found.sessionId, text) : found;
    if (options.json) return terminal.json({ sessionId: entry.sessionId, title: entry.title });
    if (changes) {
      return terminal.line(
        entry.title === null
          ? `${cleanLine(entry.sessionId)} has no title now.`
          : `${cleanLine(entry.sessionId)} is now called "${cleanLine(entry.title)}".`,
      );
    }
    terminal.line(
      entry.title === null ? `It has no title. Lists show it as "${nameOf(entry)}".` : nameOf(entry),
    );
  });
}
