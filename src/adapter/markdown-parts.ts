/**
 * A Markdown text in parts that look the same apart as together: cut at blank lines, outside of fences, before a line that
 * stands at the margin and goes on with no list. A long text is read part by part, and one that grows or is measured many
 * times is new in its last part only. Linear in the text.
 */

/** What an item begins with. */
const ITEM = /^(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$)/;
/** The beginning of a fence, also of one in a quote or in a list's item. */
const FENCE = /^([ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*)(`{3,}|~{3,})/;
/** What stands further in does not close a fence. */
const MAX_INDENT = 3;
const DEFINITION = /^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t>]+)*(\[[^\]]{1,200}\]:.*)/;
/** More than that is no list of links that somebody wrote. */
const MAX_DEFINITIONS = 2_000;

export interface MarkdownPart {
  readonly text: string;
  /** The lines of other parts that say what the name of a link or a footnote stands for. */
  readonly definitions: string;
}

export function partsOfMarkdown(given: string): readonly MarkdownPart[] {
  const parts: string[][] = [[]];
  const definitions: { readonly line: string; readonly part: number }[] = [];
  let fence: Fence | null = null;
  let isAfterBlank = false;
  for (const line of given.replace(/\r\n?/g, "\n").split("\n")) {
    const goesOn = ITEM.test(line) && ITEM.test(parts.at(-1)?.[0] ?? "");
    if (isAfterBlank && fence === null && /^\S/.test(line) && !goesOn) parts.push([]);
    parts.at(-1)?.push(line);
    const [, definition] = fence === null ? (DEFINITION.exec(line) ?? []) : [];
    if (definition !== undefined) definitions.push({ line: definition, part: parts.length - 1 });
    fence = fenceAfter(line, fence);
    isAfterBlank = line.trim() === "";
  }
  const length = definitions.reduce((sum, { line }) => sum + line.length, 0);
  const known = length > MAX_DEFINITIONS ? [] : definitions;
  return parts.map((lines, index) => {
    const text = lines.join("\n");
    const needed = text.includes("[") ? known.filter(({ part }) => part !== index) : [];
    return { text, definitions: needed.map(({ line }) => line).join("\n") };
  });
}

export interface Fence {
  readonly marks: string;
  /** How far in it stands. */
  readonly margin: number;
}

/** The fence that is open after this line. */
export function fenceAfter(line: string, open: Fence | null): Fence | null {
  const [beginning = "", before = "", marks = ""] = FENCE.exec(line) ?? [];
  if (marks === "") return open;
  const info = line.slice(beginning.length);
  if (open === null)
    return marks.startsWith("`") && info.includes("`") ? null : { marks, margin: before.length };
  const closes =
    marks[0] === open.marks[0] &&
    marks.length >= open.marks.length &&
    info.trim() === "" &&
    before.length <= open.margin + MAX_INDENT;
  return closes ? null : open;
}
