/** The conversations of whoever asks, and what was said in them: what is not theirs is not there. */
import type { SessionId } from "../session/ids.js";
import type { SessionsView } from "../session/view.js";
import { cursorIn, limitIn, numberIn, RefusedCall, type WebAsking, wordIn } from "./asking.js";
import { policyOf } from "./policy.js";
import { LAST, readMessages, type WhichMessages } from "./read-messages.js";
import type { Routes } from "./routes.js";
import type { WebSetting } from "./setting.js";
import type { WireMessages, WirePage, WireSession, WireTranscript } from "./wire.js";
import { wireSessionOf, wireSessions } from "./wire-session.js";

type ConversationSetting = Pick<WebSetting, "sessions" | "store" | "pathOf">;

const USUAL = 50;
const MOST = 200;
/** So many pages are looked through for one that is open, or ended. */
const MOST_READS = 10;

export function conversationRoutes(routes: Routes, setting: ConversationSetting): void {
  routes.get("/api/conversations", (asking) => listed(asking, setting));
  routes.get("/api/conversations/:id", (asking) => transcriptOf(asking, setting));
  routes.get("/api/conversations/:id/messages", (asking) => messagesOf(asking, setting));
}

async function listed(asking: WebAsking, setting: ConversationSetting): Promise<WirePage<WireSession>> {
  const platform = asking.query("platform");
  const limit = limitIn(asking, USUAL, MOST);
  const open = wordIn(asking, "open", ["1", "0"]);
  let filter: Parameters<SessionsView["list"]>[0] = {
    ...(platform === null ? {} : { platform }),
    limit,
    ...cursorIn(asking),
  };
  for (let reads = 1; ; reads++) {
    const { items: entries, nextCursor } = await asking.view.list(filter);
    const all = await wireSessions(entries, asking, setting);
    const items = open === null ? all : all.filter((session) => isOpen(session) === (open === "1"));
    if (items.length > 0 || nextCursor === null || reads === MOST_READS) return { items, nextCursor };
    filter = { ...filter, cursor: nextCursor };
  }
}

/** Somebody may go on there. */
function isOpen({ endedAt, thread }: WireSession): boolean {
  return endedAt === null || thread !== undefined;
}

async function transcriptOf(asking: WebAsking, setting: ConversationSetting): Promise<WireTranscript> {
  const id = asking.part("id") as SessionId;
  const { entry, messages, hasMore } = await readMessages(asking, id, LAST, setting);
  const session = await wireSessionOf(entry, asking, setting);
  return { session, messages, hasMore, policy: await policyOf(entry, setting.sessions, asking.now) };
}

async function messagesOf(asking: WebAsking, setting: ConversationSetting): Promise<WireMessages> {
  const id = asking.part("id") as SessionId;
  const { entry, messages, hasMore } = await readMessages(asking, id, whichIn(asking), setting);
  return { messages, hasMore, count: entry.messageCount };
}

function whichIn(asking: WebAsking): WhichMessages {
  const [before, after] = [numberIn(asking, "before"), numberIn(asking, "after")];
  if (before !== null && after !== null)
    throw new RefusedCall(400, "bad_request", "Ask for messages before one, or after one.");
  if (after !== null) return { side: "after", seq: after };
  return before === null ? LAST : { side: "before", seq: before };
}
