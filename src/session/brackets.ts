/**
 * What a reader, or a model, may take for a line that begins with a bracket: by any sign that looks like one, behind
 * whatever is not to be seen. Parentheses, braces and quotation marks look like themselves.
 */

/** With the break itself, for `split`. */
export const LINE_BREAKS = /([\n\r\v\f\x1c-\x1e\u0085\u2028\u2029])/u;

/** Spaces, controls, marks without a letter, and signs whose picture is empty. */
const BLANK = "\\s\\p{M}\\p{C}\\p{Default_Ignorable_Code_Point}\\u2800\\ufffc\\u{1d159}\\u{13441}\\u{13442}";
export const BLANKS = new RegExp(`[${BLANK}]+`, "gu");

const NOT_SQUARE = "(?![(){}\\u201a\\u201e\\u2e42\\u301d-\\u301f])";
/** The corners and sides of a tall bracket are no punctuation. */
const OPENING = `${NOT_SQUARE}[\\p{Ps}\\u23a1-\\u23a3]`;
const CLOSING = `${NOT_SQUARE}[\\p{Pe}\\u23a4-\\u23a6]`;
const BRACKET = new RegExp(`^[${BLANK}]*(?:${OPENING}|${CLOSING})`, "u");
const ALL_BLANK = new RegExp(`^[${BLANK}]*$`, "u");

/** Where the bracket stands that the line seems to begin with. */
export function beginsBracketed(line: string): number | null {
  let at = 0;
  for (const sign of line) {
    const meant = sign.normalize("NFKC");
    if (!ALL_BLANK.test(meant)) return BRACKET.test(meant) ? at : null;
    at += sign.length;
  }
  return null;
}

/** What looks like the sign before an id. */
export const HASHES = /[#\u266f\u2317\u22d5]/gu;
/** An id as `shortHash` makes it; the sign may be written as HTML. */
const ID = /(?:#|&(?:#0{0,5}35|#x0{0,5}23|num);?)[0-9a-f]{10}/gi;
const OPENED = /\[|&(?:#0{0,5}91|#x0{0,5}5b|lsqb|lbrack);?/gi;

/**
 * Where the brackets stand, anywhere in the line, that have an id in them before they close: whatever stands before them
 * (`> `, `**`, `- `), a model may take them for the beginning of somebody's words. What is not to be seen is passed over.
 */
export function bracketsWithIds(line: string): number[] {
  const places: number[] = [];
  let seen = "";
  let at = 0;
  for (const sign of line) {
    const meant = sign.normalize("NFKC");
    const shown = ALL_BLANK.test(meant) ? "" : plainSigns(meant);
    for (let each = 0; each < shown.length; each++) places.push(at);
    seen += shown;
    at += sign.length;
  }
  let from = 0;
  return [...seen.matchAll(ID)].flatMap(({ index, 0: id }) => {
    const before = seen.slice(from, index);
    const open = before.slice(before.lastIndexOf("]") + 1);
    const found = [...open.matchAll(OPENED)].at(-1);
    const place = found && places[index - open.length + found.index];
    from = index + id.length;
    return place === undefined ? [] : [place];
  });
}

function plainSigns(meant: string): string {
  return meant
    .replace(new RegExp(OPENING, "gu"), "[")
    .replace(new RegExp(CLOSING, "gu"), "]")
    .replace(HASHES, "#");
}

/** In the letters that are meant, with parentheses for all that looks like a bracket. */
export function withPlainBrackets(text: string): string {
  return text
    .normalize("NFKC")
    .replace(new RegExp(OPENING, "gu"), "(")
    .replace(new RegExp(CLOSING, "gu"), ")");
}
