/**
 * What typed text may be as commands. Nobody knows which program reads it, what that makes of the keys in it, and where
 * a command begins: so these are all the ways to read it that cost little. If one of them is dangerous, the text is.
 */
import { NOTHING_OPEN, openAfter } from "../../util/open-lines.js";
import { brokenAtKeys, withoutKeys } from "../../util/typed-keys.js";

/** The same one may come several times. `unsent` was typed before, and is not complete. */
export function* readingsOf(unsent: string, text: string): Generator<string> {
  // A program may have taken what is unsent as keys, as a pager does with `G`.
  for (const typed of unsent === "" ? [text] : [`${unsent}${text}`, text]) {
    for (const plain of [...withoutKeys(typed), ...brokenAtKeys(typed)]) {
      yield* scriptsIn(plain);
      // Without a terminal it is not Enter.
      if (plain.includes("\r")) yield* scriptsIn(plain.replaceAll("\r", " "));
    }
  }
}

/** All of it, each line, and the lines from each line on that are one command. */
function* scriptsIn(text: string): Generator<string> {
  const lines = text.split(/[\r\n]/);
  yield lines.map((line) => line.replace(/^\s*[:\\.%]?!/, "")).join("\n");
  for (const [at, line] of lines.entries()) {
    yield line;
    yield* insideLine(line);
    yield* fromLine(lines, at);
  }
}

/** Commands that go on after their first line. */
function* fromLine(lines: readonly string[], from: number): Generator<string> {
  let open: ReadonlySet<string> = new Set([NOTHING_OPEN]);
  for (let at = from; at < lines.length; at++) {
    const all: string[] = [...open].flatMap((each) => [...openAfter(each, lines[at] ?? "")]);
    open = new Set(all.filter((each) => each !== NOTHING_OPEN));
    const isLast = open.size === 0 || at === lines.length - 1;
    if (at > from && (isLast || all.includes(NOTHING_OPEN))) {
      const command = lines.slice(from, at + 1).join("\n");
      yield command;
      yield command.replace(CONTINUES, "");
    }
    if (isLast) return;
  }
}

/** The beginning of a line that continues a command of earlier lines: `do rm`, `&& rm`, `" ; rm`. */
const CONTINUES = /^(?:[\s;&|(){}'"`]|(?:do|then|else|elif|fi|done|esac)\b)+/;
/** `word) rm` in a `case`. */
const CASE = /^[^()]*\)/;
/** `shell rm` in a debugger, `.system rm` in a database client. */
const SHELL_WORD = /^\s*\.?(?:shell|system)\s+/;
/** `!rm` in a pager, `:r !rm` in an editor, `\! rm` in a database client; `|` and the name of a mark in a pager. */
const ESCAPES = /!+(?!=)|\|\S/g;

/** Where else a command may begin in a line. */
function* insideLine(line: string): Generator<string> {
  for (const start of [CONTINUES, CASE, SHELL_WORD]) {
    const rest = line.replace(start, "");
    if (rest !== line) yield rest.replace(CONTINUES, "");
  }
  for (const found of line.matchAll(ESCAPES)) yield line.slice(found.index + found[0].length);
}
