/**
 * What it costs to read Markdown, estimated in one pass. Every parser there is takes far longer than a linear time for
 * some texts, and what is nested deep enough ends the stack: what a person never writes is not read as Markdown at all.
 */

/** Sixteen quotes and lists in one another, as they begin a line, or an item that stands as far in. */
const TOO_DEEP = /^(?:(?:[ \t]*(?:>|(?:[*+-]|\d{1,9}[.)])[ \t])){16}|[ \t]{32,}(?:[*+-]|\d{1,9}[.)])[ \t])/;
/** One is about 20 µs of the parser's work. A paragraph has ten, a full screen of Markdown some two hundred. */
const MAX_WEIGHT = 800;
/** So many characters weigh as much as a line or a mark, and so many columns that a line is indented by. */
const CHARACTERS = 32;
const COLUMNS = 4;

/** What a line begins with: blanks, quotes, items. */
const BEGINNING = /^(?:[ \t]|>|(?:[*+-]|\d{1,9}[.)])(?=[ \t]))*/;
/** Everything that may begin or end something. */
const MARKS = /[*_~`[\]()!<>&\\|#@:=]|www\./g;

/** The same for whoever reads Markdown in another way. */
export function isTooDeep(text: string): boolean {
  return text.split("\n").some((line) => TOO_DEEP.test(line));
}

export function isTooCostly(part: string): boolean {
  let weight = part.length / CHARACTERS;
  if (weight > MAX_WEIGHT) return true;
  for (const line of part.split("\n")) {
    weight += weightOf(line);
    if (weight > MAX_WEIGHT || TOO_DEEP.test(line)) return true;
  }
  return false;
}

function weightOf(line: string): number {
  const [beginning] = BEGINNING.exec(line) ?? [""];
  const containers = beginning.replace(/[ \t\d]/g, "").length;
  const marks = line.slice(beginning.length).match(MARKS) ?? [];
  const cells = marks.filter((mark) => mark === "|").length;
  return 1 + beginning.length / COLUMNS + 2 * containers + marks.length + cells;
}
