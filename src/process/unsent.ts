/**
 * What was typed into a program and not yet sent with Enter: a command may come in parts, and only together they show
 * what it does.
 */

/** More than this is not kept. */
const MOST_UNSENT = 4_000;

/** What is unsent after `text` was typed, too. A line that a shell takes as the beginning of a longer command is unsent. */
export function unsentAfter(unsent: string, text: string): string {
  const lines = `${unsent}${text}`.split(/(?<=[\r\n])/);
  const rest = lines.slice(lines.findLastIndex(isWhole) + 1).join("");
  return rest.trimStart().slice(-MOST_UNSENT);
}

/** False for `rm \`, `curl … |`, `make &&` and empty lines: more belongs to them. */
function isWhole(line: string): boolean {
  return /[\r\n]$/.test(line) && !/(?:^|\\|\||&&)$/.test(line.trimEnd());
}
