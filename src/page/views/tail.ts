/**
 * The end of something that grows: the output of a process, or the lines of the log. What is older than the limit falls out.
 * Pure.
 */

/** About what a person scrolls through; more would make the page slow. */
const MOST_CHARACTERS = 200_000;
const MOST_LINES = 2_000;

export interface TailText {
  readonly text: string;
  /** True if something fell out before it. */
  readonly isCut: boolean;
}

export const NO_TEXT: TailText = { text: "", isCut: false };

/** Cut at the beginning of a line if there is one near, and never within a character. */
export function grownText(before: TailText, added: string, most = MOST_CHARACTERS): TailText {
  const text = before.text + added;
  if (text.length <= most) return { text, isCut: before.isCut };
  const end = text.slice(-most);
  const line = end.indexOf("\n");
  const isNear = line >= 0 && line < end.length / 4;
  return { text: isNear ? end.slice(line + 1) : end.replace(/^[\udc00-\udfff]/, ""), isCut: true };
}

/** Each line with a number that stays the same while others fall out. */
export interface NumberedLines<Line> {
  readonly lines: readonly { readonly number: number; readonly line: Line }[];
  readonly next: number;
}

export const NO_LINES: NumberedLines<never> = { lines: [], next: 0 };

export function grownLines<Line>(
  before: NumberedLines<Line>,
  added: readonly Line[],
  most = MOST_LINES,
): NumberedLines<Line> {
  if (added.length === 0) return before;
  const numbered = added.map((line, index) => ({ number: before.next + index, line }));
  return { lines: [...before.lines, ...numbered].slice(-most), next: before.next + added.length };
}

/** Those in which all words stand somewhere, in capital letters or not. */
export function linesWith<Item>(
  items: readonly Item[],
  filter: string,
  textOf: (item: Item) => string,
): readonly Item[] {
  const words = filter
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
  if (words.length === 0) return items;
  return items.filter((item) => {
    const text = textOf(item).toLowerCase();
    return words.every((word) => text.includes(word));
  });
}
