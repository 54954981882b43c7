/**
 * Numbered lists of sessions. A number refers to the list that the chat saw last: the order of sessions changes with
 * every message, so the list is remembered. After a restart, it refers to the list as it would be shown now.
 */
import type { LetterButton } from "../../adapter/adapter.js";
import { NotFoundError } from "../../session/errors.js";
import type { SessionId } from "../../session/ids.js";
import type { SessionEntry } from "../../session/session.js";
import type { SessionKey } from "../../session/session-key.js";
import { cleanLine, shorten } from "../../util/text.js";
import { counted, relativeTime } from "../../util/words.js";
import { nameOf, platformTitle, quoted } from "../describe.js";
import { BRANCH_OF } from "./branch.js";
import type { CommandCall, CommandReply } from "./commands.js";

const LISTED = 10;
const REMEMBERED_LANES = 1_000;
/** Enough messages to find the last one of a person. */
const PREVIEWED = 20;

export class ShownSessions {
  readonly #byLane = new Map<SessionKey, readonly SessionId[]>();

  keep(key: SessionKey, sessionIds: readonly SessionId[]): void {
    this.#byLane.delete(key);
    this.#byLane.set(key, sessionIds);
    for (const [oldest] of this.#byLane) {
      if (this.#byLane.size <= REMEMBERED_LANES) break;
      this.#byLane.delete(oldest);
    }
  }

  /** The session that a number in the list stands for. */
  async at(number: number, { item, view }: CommandCall): Promise<SessionId | undefined> {
    const ids = this.#byLane.get(item.key) ?? (await recent(view)).items.map(({ sessionId }) => sessionId);
    return ids[number - 1];
  }

  /** The person's sessions, newest first. */
  async list(call: CommandCall, now: number): Promise<string | CommandReply> {
    const { item, view, sessions } = call;
    const { items, nextCursor } = await recent(view);
    if (items.length === 0) return "There are no sessions yet: your first message starts one.";
    this.keep(
      item.key,
      items.map(({ sessionId }) => sessionId),
    );
    const current = await sessions.current(item.key);
    const lines = await Promise.all(
      items.map(async (entry, index) => {
        const here = entry.sessionId === current?.sessionId;
        return `${index + 1}. ${await describe(entry, call)} · ${traits(entry, { here, call, now }).join(" · ")}`;
      }),
    );
    const more = nextCursor === null ? "" : " There are older ones: find them with /search.";
    const text = [
      "Your sessions, the latest first:",
      ...lines,
      "",
      `To continue one, send /resume and its number.${more}`,
    ].join("\n");
    return { text, choices: items.flatMap((entry, index) => choiceOf(entry, index + 1, current)) };
  }
}

/** By its id: the numbers of a list are those of another one later. */
function choiceOf(
  { sessionId, title }: SessionEntry,
  number: number,
  current: SessionEntry | null,
): readonly LetterButton[] {
  if (sessionId === current?.sessionId) return [];
  return [{ label: `${number}. ${title ?? "untitled"}`, command: `/resume ${sessionId}` }];
}

/** The session that a person named; if there is none, they read what to send: in a chat they have no command line. */
export async function foundHere(which: string, found: Promise<SessionEntry>): Promise<SessionEntry> {
  try {
    return await found;
  } catch (error) {
    if (!(error instanceof NotFoundError)) throw error;
    const asked = JSON.stringify(shorten(cleanLine(which), 60));
    throw new NotFoundError(error.code, `There is no session ${asked} here. Send /sessions to list yours.`);
  }
}

function recent(view: CommandCall["view"]) {
  return view.list({ limit: LISTED });
}

/** Its title, or the last message of a person in it. */
async function describe(entry: SessionEntry, { sessions }: CommandCall): Promise<string> {
  if (entry.title !== null) return nameOf(entry);
  const said = await lastSaid(sessions, entry.sessionId);
  return said === null ? "untitled" : `untitled, ${quoted(said)}`;
}

/** The last message of a person in a session. */
export async function lastSaid(
  sessions: CommandCall["sessions"],
  sessionId: SessionId,
): Promise<string | null> {
  const history = await sessions.history(sessionId, { maxMessages: PREVIEWED });
  const said = history.findLast((message) => message.role === "user" && !message.note);
  return said?.content ?? null;
}

function hereWords({ endedAt }: SessionEntry, now: number): string {
  return endedAt === null ? "here now" : `here, ended ${relativeTime(endedAt, now)}`;
}

function traits(entry: SessionEntry, { here, call, now }: { here: boolean; call: CommandCall; now: number }) {
  return [
    ...(here ? [`**${hereWords(entry, now)}**`] : []),
    ...(entry.key === call.item.key
      ? []
      : [`${platformTitle(entry.platform)}, ${cleanLine(entry.displayName)}`]),
    ...(entry.metadata[BRANCH_OF] === undefined ? [] : ["branch"]),
    entry.messageCount === 0 ? "empty" : counted(entry.messageCount, "message"),
    relativeTime(entry.updatedAt, now),
    `\`${cleanLine(entry.sessionId)}\``,
  ];
}
