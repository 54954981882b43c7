/** What was typed into a search, as phrases that must all occur. Any text is a query; one without words finds nothing. */

import type { Message } from "../../session/transcript.js";
import { cleanLine, shorten } from "../../util/text.js";
import { fold, searchableText, termsOf } from "./terms.js";

export interface Phrase {
  /** Neighbouring terms. */
  readonly terms: readonly string[];
  /** The last term may go on. */
  readonly prefix: boolean;
}

const MAX_PHRASES = 32;
/** In all phrases together: each is looked for at every place of a message that is not indexed yet. */
const MAX_TERMS = 64;
/** A single letter begins so many words that looking them all up takes longer than anyone waits: its star does not count. */
const MIN_PREFIX = 2;
/** Behind the rest of its word (`foo_b*`) it does, this often: few enough for when they must be looked up after all. */
const MAX_LETTER_PREFIXES = 4;
const SNIPPET_LENGTH = 160;

/** Words, "quoted phrases", and words with a trailing `*`. */
export function parseQuery(text: string): Phrase[] {
  const phrases: Phrase[] = [];
  let letters = 0;
  let room = MAX_TERMS;
  for (const [, quoted, word = ""] of text.slice(0, 2_000).matchAll(/"([^"]*)"?|([^\s"]+)/g)) {
    const all = termsOf(quoted ?? word);
    const terms = all.slice(0, room);
    room -= terms.length;
    const starred = { terms, prefix: word.endsWith("*") && terms.length === all.length };
    const counts = !endsInLetter(starred) || (terms.length > 1 && letters++ < MAX_LETTER_PREFIXES);
    if (terms.length > 0) phrases.push(counts ? starred : { terms, prefix: false });
    if (phrases.length === MAX_PHRASES || room === 0) break;
  }
  return phrases;
}

/** A wider query for one with stars: each starred word without what has the star. Null if there is no star. */
export function withoutStars(phrases: readonly Phrase[]): Phrase[] | null {
  if (!phrases.some(({ prefix }) => prefix)) return null;
  return phrases
    .map((phrase) => (phrase.prefix ? { terms: phrase.terms.slice(0, -1), prefix: false } : phrase))
    .filter(({ terms }) => terms.length > 0);
}

function endsInLetter({ terms, prefix }: Phrase): boolean {
  return prefix && (terms.at(-1)?.length ?? 0) < MIN_PREFIX;
}

/** True where every phrase occurs: the index's rule, for messages it does not hold yet. */
export function matches(phrases: readonly Phrase[], terms: readonly string[]): boolean {
  return phrases.every((phrase) => terms.some((_, start) => occursAt(phrase, terms, start)));
}

function occursAt(phrase: Phrase, terms: readonly string[], start: number): boolean {
  const last = phrase.terms.length - 1;
  return phrase.terms.every((wanted, offset) => {
    const term = terms[start + offset];
    return offset === last && phrase.prefix ? term?.startsWith(wanted) === true : term === wanted;
  });
}

/** A line around the first place where the query occurs. */
export function snippetOf(message: Message, phrases: readonly Phrase[]): string {
  const text = cleanLine(searchableText(message).slice(0, 200_000));
  const folded = fold(text);
  const places = phrases.map(({ terms }) => folded.indexOf(terms[0] ?? "")).filter((place) => place >= 0);
  const place = Math.min(...places, text.length);
  const start =
    place < SNIPPET_LENGTH - 40 || place === text.length
      ? 0
      : text.lastIndexOf(" ", place - 40) + 1 || place - 40;
  return (start > 0 ? "…" : "") + shorten(text.slice(start).toWellFormed(), SNIPPET_LENGTH);
}
