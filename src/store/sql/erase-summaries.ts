/**
 * What a conversation of others keeps of a person beside their messages: what they asked for as long as it lasts, word for
 * word, and a title that Baton made of their first words. Summaries are the model's words and stay.
 */
import type { Hear } from "../../gateway/erasure.js";
import { firstWords } from "../../memory/title.js";
import type { SessionId } from "../../session/ids.js";
import { shortHash } from "../../session/label.js";
import { isAskedBy } from "../../session/sender.js";
import type { Author } from "../../session/transcript.js";
import type { Queries, Row } from "../db.js";
import { json, maybe, number, text } from "./values.js";

/** `messages` are those of the person in that session, before they change. */
export async function eraseFromSummaries(
  tx: Queries,
  sessionId: SessionId,
  messages: readonly Row[],
  hear: Hear,
): Promise<void> {
  const marks = new Set(messages.map((row) => shortHash(json<Author>(row.author).id)));
  const without = (standing: string): string => {
    const asked = json<string[]>(standing);
    const others = asked.filter((words) => ![...marks].some((mark) => isAskedBy(mark, words)));
    for (const words of asked) if (!others.includes(words)) hear("words", words);
    return JSON.stringify(others);
  };
  const session = await tx.get("SELECT standing, title FROM sessions WHERE id = ?", sessionId);
  const title = maybe(session?.title ?? null, text);
  const isTheirs = title !== null && messages.some((row) => isTitleOf(title, text(row.content)));
  if (isTheirs) hear("words", title);
  await tx.run(
    "UPDATE sessions SET standing = ?, title = ? WHERE id = ?",
    without(text(session?.standing)),
    isTheirs ? null : title,
    sessionId,
  );
  const before = "SELECT id, before_standing FROM summaries WHERE session_id = ?";
  for (const row of await tx.all(before, sessionId)) {
    const change = "UPDATE summaries SET before_standing = ? WHERE id = ?";
    await tx.run(change, without(text(row.before_standing)), number(row.id));
  }
  // A summary that somebody makes of the messages as they were is refused.
  await tx.run(
    "UPDATE consolidations SET fence = fence + 1, lease_until = 0 WHERE session_id = ?",
    sessionId,
  );
}

/** A title that was taken already has a number behind it. */
function isTitleOf(title: string, content: string): boolean {
  const words = firstWords([{ role: "user", content }]);
  return words !== null && (title === words || title.startsWith(`${words} (`));
}
