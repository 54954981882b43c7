/** When a conversation starts fresh, for the page: the same words as at the command line. */
import { heldWords, nextResetSentence, policySentence } from "../gateway/policy-words.js";
import { zonedTime } from "../schedule/words.js";
import type { EndReason, SessionEntry } from "../session/session.js";
import type { Sessions } from "../session/sessions.js";

export async function policyOf(
  entry: SessionEntry,
  sessions: Pick<Sessions, "explain">,
  now: number,
): Promise<string> {
  const explained = await sessions.explain(entry.key);
  if (!explained || explained.entry.sessionId !== entry.sessionId) return endedWords(entry);
  const { policy, next, heldBy, timezone, entry: current } = explained;
  if (current.endedAt !== null) return `${endedWords(current)} The next message starts a new one.`;
  const held = heldWords(heldBy);
  return [
    policySentence(policy),
    ...(next ? [nextResetSentence(next, now, (at) => zonedTime(at, timezone))] : []),
    ...(next && held !== null ? [`Right now ${held}.`] : []),
  ].join(" ");
}

const ENDED: Readonly<Record<EndReason, string>> = {
  idle: "This conversation ended after a time without activity.",
  daily: "This conversation ended with the daily reset.",
  reset: "This conversation ended when somebody started fresh.",
  switched: "This conversation ended when another one took its place.",
  ended: "This conversation has ended.",
};

function endedWords({ endReason }: Pick<SessionEntry, "endReason">): string {
  return endReason === null ? "No chat continues this conversation now." : ENDED[endReason];
}
