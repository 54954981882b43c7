/**
 * The tools `session_search` and `session_read`: earlier messages, in the sessions that the turn's person may see in
 * this chat. Sessions that they may not see do not exist for the tools.
 */
import { BatonError } from "../../session/errors.js";
import type { SessionId } from "../../session/ids.js";
import { messageLine, minuteOf } from "../../session/message-line.js";
import type { StoredMessage } from "../../session/transcript.js";
import type { SessionsView } from "../../session/view.js";
import { cleanLine, shorten } from "../../util/text.js";
import type { Tool } from "../agent.js";

const MAX_HITS = 20;
const MAX_MESSAGES = 100;
/** How much of a session one call gives, and how much of one message. */
const MAX_TEXT = 20_000;
const MAX_MESSAGE = 4_000;

export function sessionTools(view: SessionsView): readonly Tool[] {
  return [searchTool(view), readTool(view)];
}

function searchTool(view: SessionsView): Tool {
  return {
    name: "session_search",
    description:
      "Finds messages in this and earlier sessions that contain all the given words, newest first. Put a phrase in quotes; " +
      "end a word with * to match its beginning. Each hit names its session and message number, for session_read.",
    parameters: {
      type: "object",
      properties: {
        query: { type: "string", description: "The words to find." },
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
        const { items } = await view.search(query, { limit: countOf(args, "limit", 10, MAX_HITS) });
        if (items.length === 0) return "No message contains all these words.";
        const lines = items.map((hit) => {
          const title = hit.title ? ` "${cleanLine(hit.title)}"` : "";
          const where = `${hit.sessionId}${title} #${hit.seq}`;
          return `${where}, ${hit.role}, ${minuteOf(hit.at)}: ${shorten(cleanLine(hit.snippet), 300)}`;
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
        const from = countOf(args, "from", 1, Number.MAX_SAFE_INTEGER);
        const limit = countOf(args, "limit", 50, MAX_MESSAGES);
        const messages = await firstPage(view, sessionId, from, limit + 1);
        return pageOf(messages, limit) || `Session ${sessionId} has no message ${from} or later.`;
      }),
  };
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

function countOf(args: unknown, name: string, usual: number, most: number): number {
  const value = (args as Record<string, unknown> | null)?.[name];
  return Number.isSafeInteger(value) ? Math.min(Math.max(value as number, 1), most) : usual;
}
