/** The sessions that a person may name, for completing a line: by their titles, or else their ids. */
import type { SessionEntry } from "../../session/session.js";
import { cleanLine } from "../../util/text.js";
import { counted, relativeTime } from "../../util/words.js";
import { quoted } from "../describe.js";
import type { CommandWord, CompletionCall } from "./commands.js";
import { lastSaid } from "./shown-sessions.js";

const MOST = 50;

export async function sessionWords({ view, sessions }: CompletionCall, now: number): Promise<CommandWord[]> {
  const { items } = await view.list({ limit: MOST });
  const titles = items.map(({ title }) => title);
  const isAlone = (title: string) => titles.indexOf(title) === titles.lastIndexOf(title);
  return Promise.all(
    items.map(async (entry) => {
      const { title, sessionId } = entry;
      const about = `${counted(entry.messageCount, "message")}, ${relativeTime(entry.updatedAt, now)}`;
      const name = title === null ? await nameOfUntitled(entry, sessions) : cleanLine(title);
      // A number would mean a place in a list.
      const text = title !== null && isAlone(title) && !/^\d+$/.test(title) ? name : sessionId;
      return {
        text,
        label: name,
        description: title === null ? about : `${about} · ${sessionId}`,
        ends: true,
      };
    }),
  );
}

async function nameOfUntitled(
  { sessionId }: SessionEntry,
  sessions: CompletionCall["sessions"],
): Promise<string> {
  const said = await lastSaid(sessions, sessionId);
  return said === null ? sessionId : `untitled, ${quoted(said)}`;
}
