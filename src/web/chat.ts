/** GET /api/chat?thread=: a thread of the asker's own chat in the page, as it is now. Nobody can ask for that of another. */

import { chatOfIdentity, THREAD, webSource } from "../adapter/web/web-source.js";
import type { WireTurn } from "../adapter/web/wire.js";
import { wirePost } from "../adapter/web/wire-post.js";
import type { InboxItem } from "../gateway/inbox-item.js";
import { mayAccess } from "../session/access.js";
import type { SessionEntry } from "../session/session.js";
import { shorten } from "../util/text.js";
import { RefusedCall, type WebAsking } from "./asking.js";
import { policyOf } from "./policy.js";
import { LAST, type ReadMessages, readMessages } from "./read-messages.js";
import type { Routes } from "./routes.js";
import type { OpenPages, WebSetting } from "./setting.js";
import type { WireChat } from "./wire.js";
import { wireSessionOf } from "./wire-session.js";

type ChatSetting = Pick<WebSetting, "sessions" | "store" | "pathOf">;

const MOST_POSTS = 200;
const MOST_WAITING = 50;
const LONGEST_WAITING = 4_000;

export function chatRoutes(routes: Routes, setting: ChatSetting, pages: Pick<OpenPages, "turn">): void {
  routes.get("/api/chat", (asking) => chatOf(asking, setting, pages));
}

async function chatOf(
  asking: WebAsking,
  setting: ChatSetting,
  pages: Pick<OpenPages, "turn">,
): Promise<WireChat> {
  const thread = threadIn(asking);
  const { sessions, store } = setting;
  const { identity, name, alias = null } = asking.signedIn;
  const chatId = chatOfIdentity(identity);
  const { key } = sessions.laneOf(webSource(identity, name, thread, alias));
  const current = await sessions.current(key);
  const isTheirs = current !== null && mayAccess(asking.who.viewer, current);
  const read = isTheirs ? await readMessages(asking, current.sessionId, LAST, setting) : null;
  const [posts, waiting] = await Promise.all([
    store.posts.inThread(chatId, thread, postsFrom(read), null, MOST_POSTS),
    store.inbox.waitingIn(key),
  ]);
  const turn: WireTurn | null = pages.turn(chatId, thread);
  return {
    session: read && (await wireSessionOf(read.entry, asking, setting)),
    messages: read?.messages ?? [],
    hasMore: read?.hasMore ?? false,
    posts: posts.filter((post) => !isSaidIn(read?.entry ?? null, post)).map(wirePost),
    waiting: waiting.filter(isSomebodys).slice(0, MOST_WAITING).map(wireWaiting),
    turn,
    policy: read && (await policyOf(read.entry, sessions, asking.now)),
  };
}

function threadIn(asking: WebAsking): string | null {
  const thread = asking.query("thread");
  if (thread !== null && !THREAD.test(thread))
    throw new RefusedCall(400, "bad_request", "`thread` has 8 to 64 letters, digits, - and _.");
  return thread;
}

/**
 * Since the oldest message that is shown. If that is the first one, also what came before it: the answers to commands, but not
 * what was said when the thread had the conversation that this one follows.
 */
function postsFrom(read: ReadMessages | null): number {
  if (!read) return 0;
  const { entry, messages, hasMore } = read;
  const [oldest] = messages;
  if (hasMore && oldest) return oldest.at;
  return entry.parentId === null ? 0 : Math.min(entry.createdAt, oldest?.at ?? entry.createdAt);
}

/** Its words are in the transcript that is shown, or in that of a conversation that was here before. */
function isSaidIn(
  entry: SessionEntry | null,
  { transcript, at }: { readonly transcript: string | null; readonly at: number },
): boolean {
  if (transcript === null || entry === null) return false;
  return transcript === entry.sessionId || at < entry.createdAt;
}

/** Not what Baton tells the agent by itself. */
function isSomebodys({ made }: InboxItem): boolean {
  return made === undefined || made === "moved" || made === "command";
}

/** By the id that the browser gave it, so that the page knows what it sent. */
function wireWaiting({ id, made, messageId, text, receivedAt }: InboxItem): WireChat["waiting"][number] {
  return {
    id: made === undefined ? messageId : `${made}.${id}`,
    text: shorten(text, LONGEST_WAITING),
    at: receivedAt,
  };
}
