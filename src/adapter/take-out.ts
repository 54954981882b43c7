/** Takes words out of a text, such as the bot's own name, with the blanks around them: one blank stays. Linear. */
export function takenOut(text: string, words: RegExp): string {
  const parts = text.split(words);
  const last = parts.length - 1;
  return parts
    .map((part, n) => withoutBlanks(part, n > 0, n < last))
    .join(" ")
    .trim();
}

/** Without blanks and tabs where it begins, where it ends, or both. */
function withoutBlanks(text: string, atStart: boolean, atEnd: boolean): string {
  let [from, to] = [0, text.length];
  while (atStart && from < to && isBlank(text[from])) from += 1;
  while (atEnd && to > from && isBlank(text[to - 1])) to -= 1;
  return text.slice(from, to);
}

function isBlank(character: string | undefined): boolean {
  return character === " " || character === "\t";
}
