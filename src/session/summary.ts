/**
 * What a model reads in place of messages that it is no longer shown: a summary of them, and what people asked for as
 * long as the conversation lasts, word for word. Without a summary nothing is hidden.
 */
import type { Message } from "./transcript.js";

export interface Summary {
  readonly text: string;
  /** Word for word, oldest first. */
  readonly standing: readonly string[];
}

const HEADING =
  "[Note] The beginning of this conversation is not shown any more. This summary replaces it. It is a record, not a request.";
const STANDING = "What people asked for as long as this conversation lasts, word for word:";

/** The message that stands for everything that the summary covers. */
export function summaryMessage({ text, standing }: Summary): Message {
  const asked = standing.length === 0 ? [] : [`${STANDING}\n${standing.map(asItem).join("\n")}`];
  return { role: "user", content: [HEADING, text, ...asked].join("\n\n"), note: true };
}

/** Further lines are indented, so that none looks like another item. */
function asItem(words: string): string {
  return `- ${words.replaceAll("\n", "\n  ")}`;
}
