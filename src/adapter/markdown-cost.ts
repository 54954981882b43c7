/**
 * What it costs to read Markdown, estimated in one pass. Every parser there is takes far longer than a linear time for
 * some texts, and what is nested deep enough ends the stack: what a person never writes is not read as Markdown at all.
 */

/** Sixteen quotes and lists in one another, as they begin a line, or an item that stands as far in. */
const TOO_DEEP = /^(?:(?:[ \t]*(?:>|(?:[*+-]|\d{1,9}[.)])[ \t])){16}|[ \t]{32,}(?:[*+-]|\d{1,9}[.)])[ \t])/;
/** One is about 20 µs of the parser's work. A paragraph has ten, a full screen of Markdown some two hundred. */
const MAX_WEIGHT = 750;
/** So many characters weigh as much as a line or a mark, and so many columns that a line is indented by. */
const CHARACTERS = 24;
const COLUMNS = 4;

/** What a line begins with: blanks, quotes, items. */
const BEGINNING = /^(?:[ \t]|>|(?:[*+-]|\d{1,9}[.)])(?=[ \t]))*/;
/** Everything that may begin or end something, as often as the parser has work with it. */
const MARKS = /\*{1,2}|_{1,2}|~{1,2}|`+|[[\]<\\|@]|&(?=[#a-z])|:\/\/|www\./gi;
/** Of these, three have as much work as one of the others. */
const LIGHT_MARKS = /[!"#&(),.:;=>]/g;
/** HTML whose end is looked for up to the end of the text. */
const UNENDED = /<[!?]/g;
/** A heading, or what makes one of the line before. */
const HEADING = /^ {0,3}(?:#|(?:-+|=+)[ \t]*$)/;
const ADDRESSES = /:\/\/|www\./g;
/** What may stand behind an address without being part of it. */
const BEHIND_ADDRESS = /[!"&')*,.:;<?_~\]]/g;
/** What may be the beginning of an e-mail address. */
const WORDS = /[\w+.-]+/g;
/** Brackets in these close nothing, or may not. */
const HIDING = /[`\\<]/;

/** The same for whoever reads Markdown in another way. */
export function isTooDeep(text: string): boolean {
  return text.split("\n").some((line) => TOO_DEEP.test(line));
}

export function isTooCostly(part: string): boolean {
  let weight = part.length / CHARACTERS;
  weight += unclosedWeight(part);
  weight += ((part.match(UNENDED)?.length ?? 0) * part.length) / 150;
  if (weight > MAX_WEIGHT) return true;
  weight += addressWeight(part);
  for (const line of part.split("\n")) {
    weight += weightOf(line);
    if (weight > MAX_WEIGHT || TOO_DEEP.test(line)) return true;
  }
  return false;
}

/** A bracket that nothing closes is looked for from each word behind it. */
function unclosedWeight(part: string): number {
  let from = 0;
  for (const line of part.split("\n")) {
    const open = unclosedIn(line);
    if (open !== null) return (part.slice(from + open).match(WORDS)?.length ?? 0) ** 2 / 1_000;
    from += line.length + 1;
  }
  return 0;
}

/** Where the bracket stands that stays open at the end of a line. */
function unclosedIn(line: string): number | null {
  const isHiding = HIDING.test(line);
  const open: number[] = [];
  for (const { 0: bracket, index } of line.matchAll(/[[\]]/g)) {
    if (bracket === "[") open.push(index);
    else if (!isHiding) open.pop();
  }
  return open[0] ?? null;
}

/** An address is read to the end of the word from each of its beginnings, and from each sign that may be behind it. */
function addressWeight(part: string): number {
  if (part.search(ADDRESSES) === -1) return 0;
  let weight = 0;
  for (const [word] of part.matchAll(/\S+/g)) {
    const addresses = word.match(ADDRESSES)?.length ?? 0;
    if (addresses === 0) continue;
    weight += ((addresses + (word.match(BEHIND_ADDRESS)?.length ?? 0)) * word.length) / 700;
  }
  return weight;
}

function weightOf(line: string): number {
  const [beginning] = BEGINNING.exec(line) ?? [""];
  const containers = beginning.replace(/[ \t\d]/g, "").length;
  const rest = line.slice(beginning.length);
  const marks = rest.match(MARKS) ?? [];
  const light = rest.match(LIGHT_MARKS)?.length ?? 0;
  const images = rest.match(/!\[/g)?.length ?? 0;
  const cells = marks.filter((mark) => mark === "|").length;
  const heading = HEADING.test(line) ? 3 : 0;
  return (
    1 + heading + beginning.length / COLUMNS + 2 * containers + marks.length + cells + 2 * images + light / 3
  );
}
