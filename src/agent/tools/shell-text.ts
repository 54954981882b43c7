/** Marks in the words of a shell command, and what quotes and braces do to text. */

/** Stands in a word for what is known only when it runs. */
export const UNKNOWN = "\ue000";
/** Braces and commas that are not quoted. */
export const OPEN = "\ue001";
export const COMMA = "\ue002";
export const CLOSE = "\ue003";
export const MARKS = /[\ue000-\ue003]/;

const MOST_WORDS = 64;

/** `a{b,c}` → `ab`, `ac`; braces that expand to nothing stay as they are. */
export function expandBraces(text: string): string[] {
  let words = [text];
  for (let round = 0; round < MOST_WORDS && words.length <= MOST_WORDS; round++) {
    const next = words.flatMap((word) => {
      const [whole, content] = /\ue001([^\ue001\ue003]*\ue002[^\ue001\ue003]*)\ue003/.exec(word) ?? [];
      if (whole === undefined || content === undefined) return [word];
      return content.split(COMMA).map((part) => word.replace(whole, () => part));
    });
    if (next.length === words.length) break;
    words = next;
  }
  return words.map((word) => word.replaceAll(OPEN, "{").replaceAll(COMMA, ",").replaceAll(CLOSE, "}"));
}
