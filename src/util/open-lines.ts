/**
 * Whether a line ends a shell command, or more belongs to it: after an open quote or bracket, and after `\`, `|` or `&&`.
 * Not the whole grammar: in doubt more belongs to it. Here-documents and loops do not count, because each of their lines
 * shows by itself what it does.
 */

/** What is open after a line, outermost first: a character for each quote or bracket, and `\` if the line goes on. */
export type OpenMarks = string;

export const NOTHING_OPEN: OpenMarks = "";
/** Too much is open to follow it: nothing closes that. */
export const LOST: OpenMarks = "?";
const DEEPEST = 64;

/**
 * What is open after a line that began with this open. There is a second answer if a `#` follows a command: for a shell
 * that does not take that for a comment.
 */
export function openAfter(before: OpenMarks, line: string): readonly OpenMarks[] {
  if (before === LOST) return [LOST];
  const goesOn = before.endsWith("\\");
  const stack = [...(goesOn ? before.slice(0, -1) : before)];
  if (goesOn && line.trim() === "") return [before];
  const ends: OpenMarks[] = [];
  let at = 0;
  for (; at < line.length; at++) {
    const character = line[at] ?? "";
    const top = stack.at(-1);
    if (character === "#" && isComment(stack, line, at)) {
      if (ends.length === 0) ends.push(endOf(stack, line.slice(0, at)));
      if (line.slice(0, at).trim() === "") return ends;
    }
    if (character === "\\" && top !== "'") at++;
    else step(stack, character, line[at - 1] ?? "");
    if (stack.length > DEEPEST) return [LOST];
  }
  return [...new Set([...ends, endOf(stack, line)])];
}

function isComment(stack: readonly string[], line: string, at: number): boolean {
  return !/['"$]/.test(stack.at(-1) ?? "") && (at === 0 || /[\s;&|(]/.test(line[at - 1] ?? ""));
}

function endOf(stack: readonly string[], line: string): OpenMarks {
  return `${stack.join("")}${/(?:\\|\||&&)$/.test(line.trimEnd()) ? "\\" : ""}`;
}

/** Changes what is open by one character. `$` stands for a quote that began with `$'`. */
function step(stack: string[], character: string, before: string): void {
  const top = stack.at(-1);
  if (top === "'" || top === "$") {
    if (character === "'") stack.pop();
    return;
  }
  const isQuoted = top === '"';
  switch (character) {
    case '"':
      if (isQuoted) stack.pop();
      else stack.push(character);
      return;
    case "'":
      if (!isQuoted) stack.push(before === "$" ? "$" : "'");
      return;
    case "`": {
      const open = stack.lastIndexOf("`");
      if (open < 0) stack.push(character);
      else stack.length = open;
      return;
    }
    case "(":
    case "{":
      if (!isQuoted || before === "$") stack.push(character);
      return;
    case ")":
      if (top === "(") stack.pop();
      return;
    case "}":
      if (top === "{") stack.pop();
  }
}
