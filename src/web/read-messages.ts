/**
 * Some messages of a conversation, with how many it has at that moment. What holds: messages and count are of one moment,
 * unless somebody writes faster than they can be read.
 */
import type { SessionId } from "../session/ids.js";
import type { SessionEntry } from "../session/session.js";
import type { PartWish } from "../session/store.js";
import type { StoredMessage } from "../session/transcript.js";
import type { WebAsking } from "./asking.js";
import { fileUrls } from "./message-files.js";
import type { WebSetting } from "./setting.js";
import type { WireMessage } from "./wire.js";
import { fitting, wireMessage } from "./wire-message.js";
import { isTheirs } from "./wire-session.js";

export type WhichMessages = Pick<PartWish, "side" | "seq">;

/** The last ones: no message has this number. */
export const LAST: WhichMessages = { side: "before", seq: 2 ** 31 - 1 };
const MOST = 100;
const TRIES = 3;

export interface ReadMessages {
  readonly entry: SessionEntry;
  readonly messages: readonly WireMessage[];
  /** There are more on that side. */
  readonly hasMore: boolean;
}

/** Fails as for one that is not there if the conversation is not theirs. */
export async function readMessages(
  { view, who }: Pick<WebAsking, "view" | "who">,
  sessionId: SessionId,
  which: WhichMessages,
  { pathOf }: Pick<WebSetting, "pathOf">,
): Promise<ReadMessages> {
  const { entry, found } = await readTogether(view, sessionId, which);
  const isBefore = which.side === "before";
  const nearest = isBefore ? found.slice(-MOST) : found.slice(0, MOST);
  const files = await fileUrls(sessionId, nearest, pathOf);
  const isOwnSession = isTheirs(entry, who.identities);
  const urls = ({ seq }: StoredMessage) => files.get(seq) ?? [];
  const reader = { identities: who.identities, isOwnSession, urls };
  const all = nearest.map((message) => wireMessage(message, reader));
  const messages = fitting(all, isBefore ? "last" : "first");
  return { entry, messages, hasMore: messages.length < found.length };
}

async function readTogether(view: WebAsking["view"], sessionId: SessionId, which: WhichMessages) {
  let entry = await view.get(sessionId);
  for (let tries = 1; ; tries++) {
    const found = await view.part(sessionId, { ...which, limit: MOST + 1 });
    const after = await view.get(sessionId);
    if (after.messageCount === entry.messageCount || tries === TRIES) return { entry: after, found };
    entry = after;
  }
}
