/**
 * What was typed into a program and is not complete as a command: no Enter has followed, or a quote is still open. A
 * command may come in parts, and only together they show what it does: so what is typed next is checked after this. What
 * holds: it is never cut at its front; if it is too long, its length shows that.
 */
import { LONGEST_CHECKED } from "../util/longest-checked.js";
import { eitherOpen, NO_OPEN_COMMANDS, type OpenCommands, openCommandsAfter } from "../util/open-commands.js";
import { withoutKeys } from "../util/typed-keys.js";

/** More of a line is not kept until its Enter. */
const MOST_LINE = 4 * LONGEST_CHECKED;

export interface Typed {
  /** If it is as long as `LONGEST_CHECKED`, it is only the beginning. */
  readonly unsent: string;
  /** Where `unsent` begins. Positions count the characters that were ever typed. */
  readonly from: number;
  readonly end: number;
  /** The line without Enter, at the end. */
  readonly line: string;
  /** Commands of earlier lines that are not complete. */
  readonly open: OpenCommands;
}

export const NOTHING_TYPED: Typed = { unsent: "", from: 0, end: 0, line: "", open: NO_OPEN_COMMANDS };

/** After `text` was typed, too. Without a terminal, only a line feed is Enter, and keys are letters like others. */
export function typedAfter(typed: Typed, text: string, hasTerminal: boolean): Typed {
  const lines = `${typed.line}${text}`.split(hasTerminal ? /[\r\n]/ : /\n/);
  const line = lines.pop() ?? "";
  let start = typed.end - typed.line.length;
  let open = typed.open;
  for (const each of lines) {
    open = hasTerminal ? afterKeys(open, each, start) : openCommandsAfter(open, [each], start);
    start += each.length + 1;
  }
  const from = Math.min(start, ...[...open.ways.values()].map((way) => way.from));
  return {
    unsent: unsentFrom(from, typed, text).slice(0, LONGEST_CHECKED),
    from,
    end: typed.end + text.length,
    line: line.slice(0, MOST_LINE),
    open,
  };
}

/** Ctrl-O is Enter in some shells, and a letter like others elsewhere. */
function afterKeys(open: OpenCommands, line: string, start: number): OpenCommands {
  const whole = openCommandsAfter(open, withoutKeys(line), start);
  const parts = line.split("\u000f");
  if (parts.length === 1) return whole;
  const broken = parts.reduce((now, part) => openCommandsAfter(now, withoutKeys(part), start), open);
  return eitherOpen(whole, broken);
}

function unsentFrom(from: number, typed: Typed, text: string): string {
  const lineStart = typed.end - typed.line.length;
  if (from >= lineStart) return `${typed.line}${text}`.slice(from - lineStart);
  // Only its beginning is known, so it stays until everything that is open now is complete.
  if (typed.unsent.length >= LONGEST_CHECKED) return typed.unsent;
  return `${typed.unsent}${text}`.slice(from - typed.from);
}
