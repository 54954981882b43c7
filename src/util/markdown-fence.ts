/** Fences of code in Markdown, line by line: which one is open, also in a quote or a list's item, where it ends with it. */

export interface Fence {
  readonly marks: string;
  /** How far in it stands. */
  readonly margin: number;
  readonly isQuoted: boolean;
}

const FENCE = /^([ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*)(`{3,}|~{3,})/;
/** What stands further in is no fence, and closes none. */
const MAX_INDENT = 3;

/** The fence that is still open when this line comes. */
export function fenceAt(line: string, open: Fence | null, isInList: boolean): Fence | null {
  if (open?.isQuoted) return /^[ \t]*>/.test(line) ? open : null;
  const isItems = open !== null && isInList && open.margin >= 2;
  return isItems && /^\S/.test(line) ? null : open;
}

/** The fence that is open after this line, where this one was when it came. */
export function fenceAfter(line: string, open: Fence | null, isInList: boolean): Fence | null {
  const [beginning = "", before = "", marks = ""] = FENCE.exec(line) ?? [];
  if (marks === "") return open;
  const info = line.slice(beginning.length);
  if (open === null) {
    const isQuoted = before.includes(">");
    const isCode = !isInList && !isQuoted && before.length > MAX_INDENT;
    const isInline = marks.startsWith("`") && info.includes("`");
    return isCode || isInline ? null : { marks, margin: before.length, isQuoted };
  }
  const closes =
    /^[ \t>]*$/.test(before) &&
    marks[0] === open.marks[0] &&
    marks.length >= open.marks.length &&
    info.trim() === "" &&
    before.length <= open.margin + MAX_INDENT;
  return closes ? null : open;
}

/** The fence that this line opens at the margin, outside of any other. */
export function openedFence(line: string): Fence | null {
  return /^[`~]/.test(line) ? fenceAfter(line, null, false) : null;
}

/** The text as a block of code that it cannot end itself. */
export function fenced(text: string): string {
  const fence = "`".repeat(Math.max(3, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length + 1)));
  return `${fence}\n${text}\n${fence}`;
}
