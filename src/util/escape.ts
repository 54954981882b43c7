/**
 * Escapes one part of a colon-separated name (session keys, addresses). Injective, and reversible by `unescapePart`. It
 * escapes `%` and `:`, and also control characters and lone surrogates, which no database and no terminal keeps
 * unchanged: two hostile ids must never become one.
 */

const unsafe =
  /[%:\u0000-\u001f\u007f-\u009f\u2028\u2029]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

export function escapePart(part: string): string {
  return part.replace(unsafe, (unit) => {
    const code = unit.charCodeAt(0);
    return code > 0xff ? `%u${hex(code, 4)}` : `%${hex(code, 2)}`;
  });
}

/** The part that was escaped, or null if `escapePart` would not produce this text. */
export function unescapePart(text: string): string | null {
  const part = text.replace(
    /%u([0-9A-F]{4})|%([0-9A-F]{2})/g,
    (_, wide: string | undefined, byte: string | undefined) =>
      String.fromCharCode(Number.parseInt(wide ?? byte ?? "", 16)),
  );
  return escapePart(part) === text ? part : null;
}

function hex(code: number, width: number): string {
  return code.toString(16).toUpperCase().padStart(width, "0");
}
