/**
 * Brings one found session into the store. Importing twice adds nothing. A source that has grown adds its new messages
 * at the end, as long as the session here still is what the source began with; a session that went on here is left.
 */
import { readableText } from "../../session/attachments.js";
import type { SessionEntry, Usage } from "../../session/session.js";
import type { Sessions } from "../../session/sessions.js";
import type { Message } from "../../session/transcript.js";
import type { ImportedSession } from "../../session/transfer.js";
import type { FoundSession } from "./found-session.js";

export async function adoptFound(
  found: FoundSession,
  sessions: Sessions,
  dryRun: boolean,
): Promise<ImportedSession> {
  const { session, messages } = found;
  const { sessionId } = session;
  const before = await sessions.get(sessionId);
  const isNew = !before && (dryRun || (await sessions.adopt(session, messages)));
  const present = before ?? (await sessions.get(sessionId));
  if (isNew || !present) {
    return {
      sessionId,
      key: session.key,
      title: present?.title ?? session.title ?? null,
      messages: messages.length,
      added: messages.length,
      status: "new",
    };
  }
  const growth = await growthOf(present, found, sessions);
  const added = growth.messages.length;
  if (added > 0 && !dryRun) {
    await sessions.record(sessionId, growth.messages, usageSince(present, session.usage), { touch: false });
  }
  return {
    sessionId,
    key: present.key,
    title: present.title,
    messages: messages.length,
    added,
    status: added > 0 ? "extended" : "present",
    ...(growth.note ? { note: growth.note } : {}),
  };
}

/** What the source has beyond the session here; a note where the two went different ways. */
async function growthOf(
  present: SessionEntry,
  { session, messages }: FoundSession,
  sessions: Sessions,
): Promise<{ messages: readonly Message[]; note?: string }> {
  if (present.owner !== session.owner) {
    return { messages: [], note: "A session of another owner has this id here; nothing was added to it." };
  }
  let same = 0;
  for await (const page of sessions.pages(present.sessionId)) {
    for (const stored of page) {
      const message = messages[same];
      // All of the source is here, and more.
      if (!message) return { messages: [] };
      if (!sameMessage(message, stored)) {
        return {
          messages: [],
          note: "The session went on here, or was changed; what the source has besides was left out.",
        };
      }
      same += 1;
    }
  }
  return { messages: messages.slice(same) };
}

/** Times aside: a source without them gets others at each import. Files stand in a source by their names only. */
function sameMessage(a: Message, b: Message): boolean {
  return a.role === b.role && JSON.stringify(essence(a)) === JSON.stringify(essence(b));
}

function essence(message: Message): unknown[] {
  const name = message.role === "user" || message.role === "tool" ? message.name : null;
  const calls =
    message.role === "assistant"
      ? message.toolCalls?.map((call) => [call.id, call.name, call.arguments])
      : null;
  return [readableText(message), name, message.role === "tool" ? message.toolCallId : null, calls];
}

/** What the source spent since the session came in. */
function usageSince(present: SessionEntry, usage: Usage = {}): Usage {
  const since = (now: number | undefined, before: number) => Math.max(0, (now ?? 0) - before);
  return {
    inputTokens: since(usage.inputTokens, present.inputTokens),
    outputTokens: since(usage.outputTokens, present.outputTokens),
    cacheReadTokens: since(usage.cacheReadTokens, present.cacheReadTokens),
    cacheWriteTokens: since(usage.cacheWriteTokens, present.cacheWriteTokens),
    cost: since(usage.cost, present.cost),
  };
}
