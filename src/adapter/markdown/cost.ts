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
/** Images, definitions and footnotes: as much work as three. */
const HEAVY_MARKS = /!\[|\]:|\[\^/g;
/** Of these, three have as much work as one of the others. */
const LIGHT_MARKS = /[!"#&(),.:;=>]/g;
/** HTML whose end is looked for up to the end of the text. */
const UNENDED = /<[!?]/g;
/** A heading, or what makes one of the line before. */
const HEADING = /^ {0,3}(?:#|(?:-+|=+)[ \t]*$)/;
const ADDRESSES = /:\/\/|www\./gi;
/** What may stand behind an address without being part of it. */
const BEHIND_ADDRESS = /[!"&')*,.:;<?_~\]]/g;
/** Where an address may begin: an e-mail one, or `http://` and `www.` behind what is no letter. */
const WORDS = /[\w+.-]+/g;
const LATER_BEGINNINGS = /[^a-z][hw]/gi;
/** Brackets in a line with these may close nothing. */
const HIDING = /[`\\<]/;

export function isTooCostly(part: string): boolean {
  let weight = part.length / CHARACTERS;
  weight += bracketWeight(part);
  weight += ((part.match(UNENDED)?.length ?? 0) * part.length) / 150;
  if (weight > MAX_WEIGHT) return true;
  weight += addressWeight(part);
  for (const line of part.split("\n")) {
    weight += weightOf(line);
    if (weight > MAX_WEIGHT || TOO_DEEP.test(line)) return true;
  }
  return false;
}

/** From wherever an address may begin, a bracket is looked for that is still open there. */
function bracketWeight(part: string): number {
  let weight = 0;
  let from = 0;
  for (const line of part.split("\n")) {
    let [open, depth] = [0, 0];
    const mayClose = !HIDING.test(line);
    for (const { 0: bracket, index } of line.matchAll(/[[\]]/g)) {
      if (bracket === "[" && depth++ === 0) open = index;
      if (bracket === "]" && mayClose && depth > 0 && --depth === 0)
        weight += beginningsIn(line.slice(open, index)) ** 2;
    }
    if (depth > 0) return (weight + beginningsIn(part.slice(from + open)) ** 2) / 1_000;
    from += line.length + 1;
  }
  return weight / 1_000;
}

function beginningsIn(text: string): number {
  return (text.match(WORDS)?.length ?? 0) + (text.match(LATER_BEGINNINGS)?.length ?? 0);
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
  const heavy = rest.match(HEAVY_MARKS)?.length ?? 0;
  const cells = marks.filter((mark) => mark === "|").length;
  const heading = HEADING.test(line) ? 3 : 0;
  return (
    1 + heading + beginning.length / COLUMNS + 2 * containers + marks.length + cells + 2 * heavy + light / 3
  );
}
