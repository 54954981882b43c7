/** The words that name home channels: which ones people may choose, and when two are the same. */
import { InputError } from "../session/errors.js";
import { isPlatform } from "../session/platform.js";
import { cleanLine, shorten } from "../util/text.js";

const LONGEST = 40;
const PART = /^[\p{L}\p{N}][\p{L}\p{M}\p{N}'._-]*$/u;
/** What commands and the targets of results already mean by a word. */
const TAKEN: ReadonlySet<string> = new Set(["all", "cancel", "list", "origin", "remove"]);

/** The one spelling of a word: upper and lower case are the same. */
export function foldedWord(text: string): string {
  return cleanLine(text).normalize("NFC").toLowerCase();
}

/** The word for a new home channel, folded; fails with a sentence if it can't name one. */
export function newHomeWord(text: string): string {
  const word = foldedWord(text);
  const shown = JSON.stringify(shorten(word, LONGEST));
  if (word.length > LONGEST || !word.split(" ").every((part) => PART.test(part)))
    throw homeRefused(
      `${shown} can't name a home channel. Use at most ${LONGEST} letters, digits, spaces and - _ . ', for example \`/sethome ops\`.`,
    );
  if (isPlatform(word) || TAKEN.has(word))
    throw homeRefused(
      `${shown} can't name a home channel: Baton uses this word itself. Choose another name.`,
    );
  return word;
}

export function homeRefused(why: string): InputError {
  return new InputError("home_refused", why);
}
