/** What may be completed at the cursor: commands, their arguments and, after an `@`, files. Pure. */

export interface Completion {
  /** What stands in the line if it is taken. */
  readonly text: string;
  readonly description: string;
  /** What the menu shows in place of the text. */
  readonly label?: string;
  /** Nothing has to follow: Enter takes it and sends the line. */
  readonly ends?: boolean;
  /** It is a beginning, such as a folder: no space follows. */
  readonly goesOn?: boolean;
}

/** Where completions come from. Each gives what it has at once, and may have more later. */
export interface CompletionSources {
  /** For a line that begins with a slash: what may stand in place of its first word or, after that, of the rest. */
  readonly complete: (line: string) => readonly Completion[];
  /** The files that may be meant by this beginning of a path. */
  readonly files?: (begun: string) => readonly Completion[];
}

/** What fits, and where the text begins that it would replace; it ends at the cursor. */
export interface Fitting {
  readonly from: number;
  readonly items: readonly Completion[];
}

const NOTHING: Fitting = { from: 0, items: [] };
/** How many characters a part in the middle must have to count. */
const LEAST_PART = 2;
/** How far back the beginning of a path is looked for. */
const LONGEST_PATH = 500;

export function fitting(text: string, cursor: number, sources: CompletionSources): Fitting {
  const before = text.slice(0, cursor);
  if (before.startsWith("/") && !text.includes("\n")) return commandsFor(text, cursor, sources);
  const from = fileStart(before);
  return from === null ? NOTHING : { from, items: sources.files?.(before.slice(from + 1)) ?? [] };
}

function commandsFor(text: string, cursor: number, { complete }: CompletionSources): Fitting {
  if (cursor !== text.length) return NOTHING;
  const space = text.search(/\s/);
  if (space < 0) return { from: 0, items: complete(text).filter((item) => begins(item.text, text)) };
  const from = text.length - text.slice(space).trimStart().length;
  const items = matching(complete(text), text.slice(from));
  const isWritten = items.length === 1 && items[0]?.text === text.slice(from);
  return { from, items: isWritten ? [] : items };
}

/** Those that begin so come first; then those that have it somewhere. */
function matching(items: readonly Completion[], typed: string): readonly Completion[] {
  const isFirst = ({ text, label = text }: Completion) => begins(text, typed) || begins(label, typed);
  const has = ({ text, label = text }: Completion) => part(text, typed) || part(label, typed);
  const first = items.filter(isFirst);
  return typed.length < LEAST_PART
    ? first
    : [...first, ...items.filter((item) => !isFirst(item) && has(item))];
}

function begins(text: string, typed: string): boolean {
  return text.toLowerCase().startsWith(typed.toLowerCase());
}

function part(text: string, typed: string): boolean {
  return text.toLowerCase().includes(typed.toLowerCase());
}

/** Where the `@` of a path stands that the text ends with: at the beginning of a word. */
function fileStart(before: string): number | null {
  const at = before.lastIndexOf("@");
  if (at < 0 || before.length - at > LONGEST_PATH || !/^[\s([{"'`]?$/.test(before.slice(at - 1, at)))
    return null;
  const begun = before.slice(at + 1);
  const isWhole = begun.startsWith('"')
    ? begun.indexOf('"', 1) >= 0 || begun.includes("\n")
    : /\s/.test(begun);
  return isWhole ? null : at;
}

/** The line with this in its place. */
export function taken(
  { text, cursor }: { readonly text: string; readonly cursor: number },
  from: number,
  item: Completion,
): { readonly text: string; readonly cursor: number } {
  const after = text.slice(cursor);
  const gap = item.goesOn || /^\s/.test(after) ? "" : " ";
  const head = `${text.slice(0, from)}${item.text}${gap}`;
  return { text: head + after, cursor: head.length };
}

/** How far those that fit agree, beyond what is written; null if no further. */
export function agreed(written: string, items: readonly Completion[]): string | null {
  const [first, ...rest] = items.map(({ text }) => text);
  if (first === undefined) return null;
  let common = first;
  for (const text of rest) while (!begins(text, common)) common = common.slice(0, -1);
  return common.length > written.length && begins(common, written) ? common : null;
}
