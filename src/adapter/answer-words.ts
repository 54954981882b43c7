/**
 * Whether a message is nothing but an answer to a question: a word that says yes, no or always, and perhaps the number of
 * the question. Anything more is a message like others: "yes, but first …" answers nothing.
 */
import type { InboundMessage } from "./adapter.js";

export interface AnswerInWords {
  readonly answer: "yes" | "no" | "always";
  /** The number of the question; null if none was said. */
  readonly number: number | null;
}

/** A word that means yes in one language and no in another is in none of them. */
const WORDS: Readonly<Record<AnswerInWords["answer"], readonly string[]>> = {
  yes: "y yes yep yeah ok okay allow approve ja oui sí si sim да 是 好 はい 네 👍 ✅".split(" "),
  no: "n no nope deny nein non não нет 不 否 いいえ 아니요 👎 ❌".split(" "),
  always: "a always".split(" "),
};
const MEANING: ReadonlyMap<string, AnswerInWords["answer"]> = new Map(
  Object.entries(WORDS).flatMap(([answer, words]) =>
    words.map((word) => [word.normalize("NFKC"), answer as AnswerInWords["answer"]] as const),
  ),
);

/** Longer ones are not looked at. */
const MAX_LENGTH = 40;
/** What may stand behind a word without changing what it means; a question mark would. */
const ENDING = /[.!…。！]{1,9}$/u;
/** How emoji differ without meaning something else. */
const TINT = /[\u{1F3FB}-\u{1F3FF}\uFE0F]/gu;

export function answerIn(text: string): AnswerInWords | null {
  if (text.length > MAX_LENGTH) return null;
  const [word = "", number = "", ...more] = text
    .normalize("NFKC")
    .toLowerCase()
    .replace(TINT, "")
    .trim()
    .split(/\s+/);
  const bare = word.replace(number === "" ? ENDING : /[,:]$/, "");
  const answer = MEANING.get(bare);
  if (!answer || more.length > 0) return null;
  const [, digits = null] = /^#?(\d{1,4})[.!]?$/.exec(number) ?? [];
  if (number !== "" && digits === null) return null;
  return { answer, number: digits === null ? null : Number(digits) };
}

/** The same for a message: one that was written anew as it stands, by its sender, and has nothing else. */
export function answerOf({
  kind,
  text,
  forwarded,
  isText,
  files = [],
  parts = [],
}: InboundMessage): AnswerInWords | null {
  const isOnlyText = kind === "message" && !forwarded && !isText && files.length === 0 && parts.length === 0;
  return isOnlyText ? answerIn(text) : null;
}
