/**
 * `baton sessions move`: brings a session into another chat, named by its key, as `/resume` does there. It first says what
 * happens: who can read the session then, what becomes of the one that is there, and what waits.
 */
import type { PlannedMove } from "../gateway/lane-desk.js";
import { nameOf, placeOf } from "../gateway/session-names.js";
import { OWNER, personOf } from "../session/access.js";
import { LOCAL } from "../session/platform.js";
import type { SessionEntry } from "../session/session.js";
import type { LanePlace } from "../session/store.js";
import { cleanLine } from "../util/text.js";
import { counted, relativeTime } from "../util/words.js";
import { type Cli, withLanes } from "./cli.js";
import { wrongUsage } from "./failure.js";

interface MoveOptions {
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  readonly json?: boolean;
}

export async function move(cli: Cli, which: string, where: string, options: MoveOptions): Promise<void> {
  const { terminal } = cli;
  const mayAsk = terminal.canAsk && !options.json;
  if (!options.yes && !options.dryRun && !mayAsk)
    throw wrongUsage(
      "Moving a session can show it to other people. Add --yes to confirm, or --dry-run to see what would happen.",
    );
  await withLanes(cli, options.dryRun ? "look" : "change", async ({ sessions, moves }) => {
    const planned = await moves.plan(await sessions.find(which, OWNER), where);
    if (options.dryRun && options.json) return terminal.json({ ...facts(planned), moved: false });
    if (options.dryRun || !options.yes)
      for (const line of sentences(planned, Date.now())) terminal.line(cleanLine(line));
    if (options.dryRun) return terminal.line("Nothing was changed.");
    if (!options.yes && !(await terminal.confirm(question(planned))))
      return terminal.line("Nothing was moved.");
    const entry = await moves.move(planned);
    if (options.json) return terminal.json({ ...facts(planned), moved: true });
    terminal.line(cleanLine(`"${nameOf(planned.entry)}" is now in ${placeOf(entry)} (${entry.key}).`));
  });
}

function question(planned: PlannedMove): string {
  const shown = newReaders(planned);
  return shown === null ? "Move it?" : cleanLine(`Move it, and show all of it to ${shown}?`);
}

function facts({ entry, to, seen, present, waiting, ...planned }: PlannedMove) {
  return {
    sessionId: entry.sessionId,
    from: seen.from,
    to: to.key,
    replaces: present?.sessionId ?? null,
    readers: [...new Set([entry.owner, to.owner])],
    newReaders: newReaders({ entry, to, seen, present, waiting, ...planned }) === null ? [] : [to.owner],
    waiting,
  };
}

function sentences(planned: PlannedMove, now: number): string[] {
  const { entry, to, seen, present, waiting } = planned;
  const size = `${counted(entry.messageCount, "message")}, last active ${relativeTime(entry.updatedAt, now)}`;
  const here =
    seen.from === null
      ? `It is in no chat now${entry.endReason === null ? "" : ` (${entry.endReason})`}. It is opened again.`
      : `It is in ${placeOf(entry)} now (${entry.key}). That chat starts a new session with the next message.`;
  const there = present
    ? `The session that is there now, ${presentName(present)}, ends as "switched". /resume brings it back.`
    : "No session is there now.";
  return [
    `"${nameOf(entry)}" (${entry.sessionId}): ${size}.`,
    here,
    `It goes to ${placeOf({ ...to, platform: to.origin.platform })} (${to.key}).`,
    there,
    ...waitingSentences(waiting),
    ...readerSentences(planned),
  ];
}

function presentName({ title, sessionId }: NonNullable<PlannedMove["present"]>): string {
  return title === null ? sessionId : `"${title}" (${sessionId})`;
}

function waitingSentences({ here, there }: PlannedMove["waiting"]): string[] {
  const wait = (count: number) => (count === 1 ? "1 message waits" : `${count} messages wait`);
  return [
    ...(here > 0 ? [`${wait(here)} for an answer in it. It is given in the new chat.`] : []),
    ...(there > 0 ? [`${wait(there)} for an answer in the new chat. It is given in this session.`] : []),
  ];
}

function readerSentences(planned: PlannedMove): string[] {
  const { entry, to } = planned;
  const shown = newReaders(planned);
  const isHidden = entry.laneOwner !== entry.owner && entry.laneOwner !== to.owner;
  return [
    `It stays the session of ${people(entry.owner, entry)}.`,
    ...(shown === null ? [] : [`From then on ${shown} can read all of it.`]),
    ...(isHidden ? [`${people(entry.laneOwner, entry)} can no longer read it.`] : []),
    ...(personOf(to) === null && to.origin.chatType === "dm" && to.origin.platform !== LOCAL
      ? [
          "Baton does not know yet who writes there: that person sees it in /sessions after their first message.",
        ]
      : []),
  ];
}

/** Who could not read it before; null if nobody. */
function newReaders({ entry, to }: PlannedMove): string | null {
  return to.owner === entry.owner || to.owner === entry.laneOwner ? null : people(to.owner, to);
}

/** An owner in words: `telegram:99`, or everybody in a chat. */
function people(owner: string, at: Pick<LanePlace | SessionEntry, "origin" | "chat">): string {
  const person = personOf({ owner });
  if (person !== null) return person;
  return at.origin.chatType === "dm" ? `the person in ${at.chat}` : `everybody in ${at.chat}`;
}
