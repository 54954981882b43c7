/**
 * Makes a conversation shorter if it is too long for a model: drops the oldest messages first, and keeps the message to
 * answer.
 */

import { historyWindow } from "../../session/history-window.js";
import type { Message } from "../../session/transcript.js";
import { shorten } from "../../util/text.js";

/** Texts shorter than this are not cut. */
const SHORTEST = 400;

/**
 * About half of the conversation: the newer half, starting at a person's message; then only the last message and what
 * followed; then with long texts cut. Null if everything is short already. Always a valid window.
 */
export function shorterConversation(messages: readonly Message[]): readonly Message[] | null {
  const half = historyWindow(messages, { maxMessages: Math.floor(messages.length / 2) });
  if (half.length > 0) return half;
  const last = messages.findLastIndex(({ role }) => role === "user");
  if (last > 0) return messages.slice(last);
  const longest = Math.max(0, ...messages.map(({ content }) => content.length));
  if (longest <= SHORTEST) return null;
  const limit = Math.max(SHORTEST, Math.floor(longest / 2));
  return messages.map((message) => ({ ...message, content: shorten(message.content, limit) }));
}
