/** A conversation that is too long for a model, made shorter: the oldest go first, what is to be answered stays. */
import { historyWindow, type Message } from "../../session/transcript.js";
import { shorten } from "../../util/text.js";

/** Below this there is nothing left to take. */
const SHORTEST = 400;

/**
 * About half of it: the newer half, from a person's message on; then what was said last and what followed; then long
 * texts cut. Null where that is all short already. Always a valid window.
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
