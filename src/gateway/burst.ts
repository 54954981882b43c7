/**
 * Messages that belong together: the pictures of an album, a long text that a client cut, a forward and the word about
 * it. What one person sends within a moment is answered by one turn. The first message waits a moment for the next one;
 * each that comes begins the moment anew, up to a limit.
 */
import { senderOf } from "./authorize.js";
import type { InboxItem } from "./store.js";

/** An album may take longer: each picture is a message of its own. */
const ALBUM_MS = 1_000;
const MOST_MESSAGES = 20;

/** The messages after this one in the queue that belong to it. */
export function burstAfter(
  queue: readonly InboxItem[],
  item: InboxItem,
  momentMs: number,
): readonly InboxItem[] {
  const from = queue.findIndex(({ id }) => id === item.id);
  if (from < 0 || !isGathered(item)) return [];
  let last = item;
  const burst: InboxItem[] = [];
  for (const next of queue.slice(from + 1, from + MOST_MESSAGES)) {
    if (!belongs(last, next, momentMs)) break;
    burst.push(next);
    last = next;
  }
  return burst;
}

/** Whether a message belongs to the one before it. */
export function belongs(one: InboxItem, next: InboxItem, momentMs: number): boolean {
  if (!isGathered(next) || placeOf(one) !== placeOf(next)) return false;
  if (one.album !== undefined && one.album === next.album) return true;
  return momentMs > 0 && Math.abs(next.receivedAt - one.receivedAt) <= momentMs;
}

/** How long to wait for more after this message; 0 if nothing more can belong to it. */
export function momentAfter(item: InboxItem, momentMs: number): number {
  if (!isGathered(item)) return 0;
  return item.album === undefined ? momentMs : Math.max(momentMs, ALBUM_MS);
}

/** Only what a person wrote just now, and here. */
function isGathered({ kind, made, by, inBackground }: InboxItem): boolean {
  return kind === "message" && !made && !by && !inBackground;
}

function placeOf({ platform, account, key, source }: InboxItem): string {
  return JSON.stringify([platform, account, key, source.chatId, source.threadId, senderOf(source)]);
}
