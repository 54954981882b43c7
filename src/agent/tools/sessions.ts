/**
 * The tools `session_search` and `session_read`: earlier messages, in the sessions that the turn's person may see in
 * this chat. Sessions that they may not see do not exist for the tools.
 */
import { BatonError } from "../../session/errors.js";
import type { SessionId } from "../../session/ids.js";
import { messageLine, minuteOf } from "../../session/message-line.js";
import { readFilters, type WrittenFilters } from "../../session/search-filters.js";
import type { Neighbour } from "../../session/store.js";
import type { StoredMessage } from "../../session/transcript.js";
import type { SessionsView } from "../../session/view.js";
import type { Clock } from "../../util/clock.js";
import { MOMENT_FORMS } from "../../util/moment.js";
import { cleanLine, shorten } from "../../util/text.js";
import type { Tool } from "../agent.js";

const MAX_HITS = 20;
const MAX_NEIGHBOURS = 3;
const MAX_MESSAGES = 100;
/** How much of a session one call gives, and how much of one message. */
const MAX_TEXT = 20_000;
const MAX_MESSAGE = 4_000;

/** What dates mean. */
interface Civil {
  readonly timeZone: string;
  readonly clock: Clock;
}

export function sessionTools(view: SessionsView, civil: Civil): readonly Tool[] {
  return [searchTool(view, civil), readTool(view)];
}

function searchTool(view: SessionsView, { timeZone, clock }: Civil): Tool {
  return {
    name: "session_search",
    description:
      "Finds messages in this and earlier sessions that contain all the given words, newest first. Put a phrase in quotes; " +
      "end a word with * to match its beginning. Each hit names its session and message number, for session_read.",
    parameters: {
      type: "object",
      properties: {
        query: { type: "string", description: "The words to find." },
        role: {
          type: "string",
          description: "Only messages of this role: user, assistant, tool or system; several with commas.",
        },
        platform: { type: "string", description: "Only sessions that are on this platform now." },
        after: { type: "string", description: `Only messages from this time on: ${MOMENT_FORMS}.` },
        before: { type: "string", description: "Only messages before this time, written the same way." },
        session: {
          type: "string",
          description: "Only this session: its id, the beginning of its id, or its title.",
        },
        neighbours: {
          type: "integer",
          minimum: 0,
          maximum: MAX_NEIGHBOURS,
          description: "How many messages to show before and after each hit; none by default.",
        },
        limit: {
          type: "integer",
          minimum: 1,
          maximum: MAX_HITS,
          description: "How many hits; 10 by default.",
        },
      },
      required: ["query"],
      additionalProperties: false,
    },
    run: (args) =>
      answered(async () => {
        const query = textOf(args, "query");
        if (!query) return "Error: `query` must be the words to find.";
        const which = textOf(args, "session");
        const { items } = await view.search(query, {
          ...(await readFilters(writtenIn(args), { timeZone, now: clock() })),
          ...(which ? { sessionId: (await view.find(which)).sessionId } : {}),
          neighbours: countOf(args, "neighbours", { usual: 0, least: 0, most: MAX_NEIGHBOURS }),
          limit: countOf(args, "limit", { usual: 10, most: MAX_HITS }),
        });
        if (items.length === 0) return "No message contains all these words.";
        const lines = items.flatMap((hit) => {
          const title = hit.title ? ` "${cleanLine(hit.title)}"` : "";
          const where = `${hit.sessionId}${title} #${hit.seq}`;
          return [
            ...hit.before.map(besideLine),
            `${where}, ${hit.role}, ${minuteOf(hit.at)}: ${shorten(cleanLine(hit.snippet), 300)}`,
            ...hit.after.map(besideLine),
          ];
        });
        return lines.join("\n");
      }),
  };
}

function readTool(view: SessionsView): Tool {
  return {
    name: "session_read",
    description: "Reads the messages of one session in order, starting at a number.",
    parameters: {
      type: "object",
      properties: {
        session: { type: "string", description: "The session's id, the beginning of its id, or its title." },
        from: { type: "integer", minimum: 1, description: "The number of the first message; 1 by default." },
        limit: {
          type: "integer",
          minimum: 1,
          maximum: MAX_MESSAGES,
          description: "How many messages; 50 by default.",
        },
      },
      required: ["session"],
      additionalProperties: false,
    },
    run: (args) =>
      answered(async () => {
        const which = textOf(args, "session");
        if (!which) return "Error: `session` must be an id or a title.";
        const { sessionId } = await view.find(which);
        const from = countOf(args, "from", { usual: 1, most: Number.MAX_SAFE_INTEGER });
        const limit = countOf(args, "limit", { usual: 50, most: MAX_MESSAGES });
        const messages = await firstPage(view, sessionId, from, limit + 1);
        return pageOf(messages, limit) || `Session ${sessionId} has no message ${from} or later.`;
      }),
  };
}

function writtenIn(args: unknown): WrittenFilters {
  const names = ["platform", "role", "after", "before"] as const;
  return Object.fromEntries(names.map((name) => [name, textOf(args, name)]).filter(([, value]) => value));
}

/** Indented, so that it does not look like a hit. */
function besideLine({ seq, role, text }: Neighbour): string {
  return `  (#${seq} ${role}: ${cleanLine(text)})`;
}

async function firstPage(
  view: SessionsView,
  sessionId: SessionId,
  from: number,
  count: number,
): Promise<StoredMessage[]> {
  for await (const page of view.pages(sessionId, { afterSeq: from - 1 })) return page.slice(0, count);
  return [];
}

/** As many messages as fit, and where to continue. */
function pageOf(messages: readonly StoredMessage[], limit: number): string {
  const lines: string[] = [];
  let length = 0;
  for (const message of messages.slice(0, limit)) {
    const line = messageLine(message, MAX_MESSAGE);
    length += line.length;
    if (length > MAX_TEXT && lines.length > 0) break;
    lines.push(line);
  }
  const next = messages[lines.length];
  return [...lines, ...(next ? [`(There are more messages, from number ${next.seq} on.)`] : [])].join("\n\n");
}

/** A session that the person may not see, or mistyped, gives an answer, not an exception. */
async function answered(work: () => Promise<string>): Promise<string> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof BatonError) return `Error: ${error.message}`;
    throw error;
  }
}

function textOf(args: unknown, name: string): string {
  const value = (args as Record<string, unknown> | null)?.[name];
  return typeof value === "string" ? value.trim() : "";
}

interface Bounds {
  readonly usual: number;
  readonly least?: number;
  readonly most: number;
}

function countOf(args: unknown, name: string, { usual, least = 1, most }: Bounds): number {
  const value = (args as Record<string, unknown> | null)?.[name];
  return Number.isSafeInteger(value) ? Math.min(Math.max(value as number, least), most) : usual;
}
