/**
 * Finds lines that a reader or a model could take for a line that begins with a bracket: with any character that looks
 * like one, after any invisible characters. Parentheses, braces and quotation marks do not look like brackets.
 */

/** Includes the break itself, for `split`. */
export const LINE_BREAKS = /([\n\r\v\f\x1c-\x1e\u0085\u2028\u2029])/u;

/** Spaces, controls, marks without a letter, and characters that are drawn as nothing. */
const BLANK = "\\s\\p{M}\\p{C}\\p{Default_Ignorable_Code_Point}\\u2800\\ufffc\\u{1d159}\\u{13441}\\u{13442}";
export const BLANKS = new RegExp(`[${BLANK}]+`, "gu");

const NOT_SQUARE = "(?![(){}\\u201a\\u201e\\u2e42\\u301d-\\u301f])";
/** The corners and sides of a tall bracket are not punctuation. */
const OPENING = `${NOT_SQUARE}[\\p{Ps}\\u23a1-\\u23a3]`;
const CLOSING = `${NOT_SQUARE}[\\p{Pe}\\u23a4-\\u23a6]`;
const BRACKET = new RegExp(`^[${BLANK}]*(?:${OPENING}|${CLOSING})`, "u");
const ALL_BLANK = new RegExp(`^[${BLANK}]*$`, "u");

/** The position of the bracket with which the line seems to begin. */
export function beginsBracketed(line: string): number | null {
  let at = 0;
  for (const sign of line) {
    const meant = sign.normalize("NFKC");
    if (!ALL_BLANK.test(meant)) return BRACKET.test(meant) ? at : null;
    at += sign.length;
  }
  return null;
}

/** Characters that look like the sign before an id. */
const HASH = "#\\u266f\\u2317\\u22d5";
export const HASHES = new RegExp(`[${HASH}]`, "gu");
/** A sign before an id, in any of its widths, or what may be HTML for it. */
const MAY_HAVE_ID = new RegExp(`[${HASH}\\ufe5f\\uff03&\\ufe60\\uff06]`, "u");
const OPENINGS = new RegExp(OPENING, "gu");
const CLOSINGS = new RegExp(CLOSING, "gu");
/** Characters that can be part of a bracket or an id, as they are and in any case. */
const PLAIN = /^[!-~]+$/;
const OF_USE = new RegExp(`[!-~${HASH}]|${OPENING}|${CLOSING}`, "u");
/** A bracket, or an id as `shortHash` makes it. */
const MARK = /[[\]]|#[0-9a-f]{10}/gi;

const ENTITIES: Readonly<Record<string, string>> = {
  num: "#",
  lsqb: "[",
  lbrack: "[",
  rsqb: "]",
  rbrack: "]",
  amp: "&",
};
const NAMES = Object.keys(ENTITIES).join("|");
/** The HTML for a sign: some that mean themselves, or any other one. `&#39dddadadc` is an id behind an ampersand. */
const ENTITY = new RegExp(
  `&(?!#(?!\\d+;)[0-9a-f]{10})(?:#(\\d+)|#x([0-9a-f]+)|(${NAMES}|[a-z][a-z0-9]{1,31}(?=;)));?`,
  "iy",
);
const AMPERSAND = "&".charCodeAt(0);

/**
 * The positions of brackets, anywhere in the line, that contain an id: whatever precedes them (`> `, `**`, `- `), a
 * model may take them for the beginning of somebody's words. They are the brackets that are open before an id, and
 * those after an id that close nothing. Invisible characters are skipped.
 */
export function bracketsWithIds(line: string): number[] {
  if (!MAY_HAVE_ID.test(line)) return [];
  // Read twice, because some HTML appears only then: `&amp;num;`, or one with something invisible in it.
  const { text, places } = read(
    read({ text: line, places: Array.from({ length: line.length }, (_, at) => at) }),
  );
  const found = new Set<number>();
  const open: number[] = [];
  let taken = 0;
  let idBefore = false;
  for (const { 0: mark, index } of text.matchAll(MARK)) {
    const at = places[index] ?? 0;
    if (mark === "[") open.push(at);
    else if (mark === "]") {
      if (isEscaped(line, at)) continue;
      if (open.pop() === undefined && idBefore) found.add(at);
      taken = Math.min(taken, open.length);
    } else {
      idBefore = true;
      for (; taken < open.length; taken++) found.add(open[taken] ?? 0);
    }
  }
  return [...found];
}

/** An even number of backslashes escape each other. */
export function isEscaped(line: string, at: number): boolean {
  let from = at;
  while (line[from - 1] === "\\") from--;
  return (at - from) % 2 === 1;
}

/** A text, and the position of each of its characters in the line. */
interface BracketReading {
  readonly text: string;
  readonly places: readonly number[];
}

/** Replaces look-alikes and HTML by the characters that they stand for, and drops invisible ones. */
function read({ text, places }: BracketReading): BracketReading {
  const shownAt: number[] = [];
  let shown = "";
  for (let at = 0; at < text.length; ) {
    const sign = signAt(text, at);
    const seen = plainSigns(sign.meant);
    for (let each = 0; each < seen.length; each++) shownAt.push(places[at] ?? 0);
    shown += seen;
    at += sign.length;
  }
  return { text: shown, places: shownAt };
}

/** A name that is not in our list is skipped: it may be an invisible character in the middle of an id. */
function signAt(text: string, at: number): { readonly meant: string; readonly length: number } {
  const code = text.codePointAt(at) ?? 0;
  const sign = String.fromCodePoint(code);
  if (code !== AMPERSAND) return { meant: sign, length: sign.length };
  ENTITY.lastIndex = at;
  const entity = ENTITY.exec(text);
  if (!entity) return { meant: sign, length: 1 };
  const { 0: written, 1: decimal, 2: hex, 3: name } = entity;
  const { length } = written;
  if (name) return { meant: ENTITIES[name.toLowerCase()] ?? "", length };
  const number = decimal ? Number(decimal) : Number.parseInt(hex ?? "", 16);
  return { meant: number <= 0x10ffff ? String.fromCodePoint(number) : written, length };
}

/** Everything that can't be part of a bracket or an id becomes one question mark. */
function plainSigns(meant: string): string {
  if (PLAIN.test(meant)) return meant;
  const letters = meant.normalize("NFKC");
  if (ALL_BLANK.test(letters)) return "";
  if (!OF_USE.test(letters)) return "?";
  return letters
    .replace(OPENINGS, "[")
    .replace(CLOSINGS, "]")
    .replace(HASHES, "#")
    .replace(/[^!-~]+/gu, "?");
}

/** Replaces look-alike letters, turns everything that looks like a bracket into a parenthesis, and leaves no HTML. */
export function withPlainBrackets(text: string): string {
  return text.normalize("NFKC").replace(OPENINGS, "(").replace(CLOSINGS, ")").replaceAll("&", "+");
}
