/**
 * Markup of marks beside words, as some platforms have it: `*bold*`, `_slanted_`, `~struck~`, and code in backticks. A
 * mark opens between what is no letter and what is no blank, closes the other way round, and holds within a line.
 */

/** What stands beside a letter, or is taken for one. */
const LETTER = /[\p{L}\p{N}\u2060]/u;
/** What is no letter, but nothing to stand beside either: a blank, or what may be taken for one. */
const BLANK = /[\s\u200b\u2060]/;

/** Where a mark was: neither a letter nor a blank. */
const EDGE = "\u0001";

/** The text without its marks. `literal`: what is no markup, whatever stands in it. */
export function withoutMarks(
  text: string,
  literal: RegExp,
  shownOf: (found: RegExpMatchArray) => string,
): string {
  const kept: string[] = [];
  const keep = (shown: string): string => String.fromCharCode(0xe000 + kept.push(shown) - 1);
  const fenced = text.replace(/```\n?([\s\S]*?)\n?```/g, (_, code: string) => keep(`\n${code}\n`));
  const masked = [...parts(fenced, literal)].map((part) =>
    typeof part === "string" ? part : keep(shownOf(part)),
  );
  const coded = read(masked.join(""), "`", keep);
  const shown = ["*", "_", "~"].reduce((all, mark) => read(all, mark, (inner) => EDGE + inner + EDGE), coded);
  // What is kept may have something kept in it.
  const restored = (part: string): string =>
    part.replace(/[\ue000-\uf8ff]/g, (place) => restored(kept[place.charCodeAt(0) - 0xe000] ?? ""));
  return restored(shown.replaceAll(EDGE, ""));
}

function* parts(text: string, pattern: RegExp): Iterable<string | RegExpMatchArray> {
  let at = 0;
  for (const found of text.matchAll(pattern)) {
    yield text.slice(at, found.index);
    yield found;
    at = found.index + found[0].length;
  }
  yield text.slice(at);
}

/** Takes the pairs of one mark off, line by line. */
function read(text: string, mark: string, shownOf: (inner: string) => string): string {
  const lines = text.split("\n").map((line) => {
    let shown = "";
    for (let at = 0; at < line.length; at++) {
      const end = line[at] === mark && opens(line, at) ? closing(line, mark, at) : -1;
      shown += end < 0 ? line[at] : shownOf(line.slice(at + 1, end));
      if (end >= 0) at = end;
    }
    return shown;
  });
  return lines.join("\n");
}

function opens(line: string, at: number): boolean {
  return !LETTER.test(line[at - 1] ?? " ") && !BLANK.test(line[at + 1] ?? " ");
}

function closing(line: string, mark: string, from: number): number {
  for (let at = from + 2; at < line.length; at++)
    if (line[at] === mark && !BLANK.test(line[at - 1] ?? " ") && !LETTER.test(line[at + 1] ?? " ")) return at;
  return -1;
}
