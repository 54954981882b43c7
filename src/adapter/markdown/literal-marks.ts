/**
 * Marks that stand for themselves, for platforms that have no escape character: an invisible joiner on either side.
 * Whether it is taken for a letter or for a blank, the mark neither opens anything nor closes it.
 */

/** Takes no room, and no line is broken at it. */
export const JOINER = "\u2060";

/** Between two letters a mark is none, and neither is one between two blanks. */
const MARKS = /[*_~`]+(?<!(?<=[\p{L}\p{N}])[*_~`](?=[\p{L}\p{N}]))(?<!(?<=[ \t])[*_~`](?=[ \t]))/gu;

export function literalMarks(text: string): string {
  return text.replace(MARKS, (marks) => JOINER + [...marks].join(JOINER) + JOINER);
}

/** A mark beside what nobody sees may be taken for none: there the words go without. */
export function takesMark(inner: string): boolean {
  return inner !== "" && !/^[\u200b\u2060]|[\u200b\u2060]$/.test(inner);
}
