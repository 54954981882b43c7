/** Marks in the words of a shell command, and what quotes and braces make of text. */

/** Stands in a word for what is known only when it runs. */
export const UNKNOWN = "\ue000";
/** Braces and commas that are not quoted. */
export const OPEN = "\ue001";
export const COMMA = "\ue002";
export const CLOSE = "\ue003";
export const MARKS = /[\ue000-\ue003]/;

const MOST_WORDS = 64;

/** `a{b,c}` → `ab`, `ac`; braces that expand to nothing stand for themselves. */
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

const CODES: Readonly<Record<string, string>> = {
  n: "\n",
  t: "\t",
  r: "\r",
  e: "\u001b",
  E: "\u001b",
  a: "\u0007",
};

/** `$'\x72\155'` → `rm`. */
export function decodedText(content: string): string {
  return content.replace(
    /\\(?:x([0-9a-f]{1,2})|u([0-9a-f]{1,4})|U([0-9a-f]{1,8})|([0-7]{1,3})|([\s\S]))/gi,
    (_whole, hex?: string, short?: string, long?: string, octal?: string, char?: string) => {
      const code = hex ?? short ?? long;
      if (code !== undefined) return String.fromCodePoint(Math.min(Number.parseInt(code, 16), 0x10ffff));
      if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8) & 255);
      return CODES[char ?? ""] ?? char ?? "";
    },
  );
}
