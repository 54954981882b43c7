/**
 * Typed text has keys in it: Backspace, Escape, arrows. What a program makes of them depends on the program, so this
 * lists what the text may be then. Keys that move the cursor, complete a word or bring back an earlier line are not
 * followed.
 */

/** All but tabs and line breaks. */
const KEYS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g;
const HAS_KEYS = new RegExp(KEYS, "");

/** An arrow, a function key, the marks around a paste, Alt with a letter. */
const SEQUENCE = /\u001b(?:\[\[.|\[[0-?]*[ -/]*[@-~]|O.|-?\d+|.)?/g;
/** A program that does not know such a key may drop its beginning only, and take its last letter as typed. */
const SEQUENCE_BEGIN = /\u001b(?:\[[0-?]*)?/g;

/** What may be left of the text without its keys. */
export function withoutKeys(text: string): readonly string[] {
  if (!HAS_KEYS.test(text)) return [text];
  const bare = text.replace(SEQUENCE, "");
  const all = [text, bare, text.replace(SEQUENCE_BEGIN, ""), withErasing(text), withErasing(bare)];
  return [...new Set(all.map((each) => each.replace(KEYS, "")))];
}

/** The text with line breaks where its keys were: some of them run a line, such as Ctrl-O in bash. */
export function brokenAtKeys(text: string): readonly string[] {
  if (!HAS_KEYS.test(text)) return [];
  return [...new Set([text, text.replace(SEQUENCE, "\n")].map((each) => each.replace(KEYS, "\n")))];
}

/** What is left if Backspace, Ctrl-W, Ctrl-U and Ctrl-C erase as in a terminal. */
function withErasing(text: string): string {
  const left: string[] = [];
  const eraseWhile = (isErased: (character: string) => boolean): void => {
    while (left.length > 0 && !/[\r\n]/.test(left.at(-1) ?? "") && isErased(left.at(-1) ?? "")) left.pop();
  };
  for (const character of text) {
    switch (character) {
      case "\b":
      case "\u007f":
        if (!/[\r\n]/.test(left.at(-1) ?? "")) left.pop();
        break;
      case "\u0017":
        eraseWhile((last) => last === " ");
        eraseWhile((last) => last !== " ");
        break;
      case "\u0003":
      case "\u0015":
        eraseWhile(() => true);
        break;
      default:
        left.push(character);
    }
  }
  return left.join("");
}
