/**
 * A script and its arguments as words that pass through any shell unchanged. A quoting mistake is impossible: what is
 * left as it is means nothing between single quotes in any shell, and the rest is written in octal.
 */

/** Runs a script with these arguments, decoded, as `$1`, `$2` … */
export function shellWords(script: string, args: readonly string[]): [string, ...string[]] {
  return ["/bin/sh", "-c", BEGIN, encoded(script), ...args.map(encoded)];
}

/** The same words as one text, for a server that gives it to a shell. */
export function shellText(words: readonly string[]): string {
  return words.map((word) => `'${word}'`).join(" ");
}

/** Decodes each argument once. `$(…)` drops newlines at the end, so something stands after them. */
const BEGIN = `for a do a=$(printf "%bx" "$a"); set -- "$@" "\${a%x}"; shift; done; eval "$(printf %b "$0")"`;

/** As `printf %b` reads it. */
function encoded(text: string): string {
  return [...Buffer.from(text, "utf8")]
    .map((byte) => (isPlain(byte) ? String.fromCharCode(byte) : `\\0${byte.toString(8).padStart(3, "0")}`))
    .join("");
}

/** No control character, quote, backslash or exclamation mark. */
function isPlain(byte: number): boolean {
  return byte >= 0x20 && byte < 0x7f && byte !== 0x27 && byte !== 0x5c && byte !== 0x21;
}
