/** The text of a file that is nothing but text, in the encodings that people send. */

/** How much of a file is looked at to find out if it is text. */
const LOOKED_AT = 65_536;
/** Bytes that no text has: all controls but those for tabs, line breaks, pages and colours. */
const CONTROLS = /[\u0000-\u0008\u000e-\u001a\u001c-\u001f\u007f]/;

/** At most about `most` characters and one more; null if it is not text. */
export function decodedText(bytes: Uint8Array, most: number): string | null {
  if (bytes.length === 0) return "";
  const begin = bytes.subarray(0, Math.min(bytes.length, 4 * (most + 1)));
  const wide = encodingByMark(begin);
  if (wide) return checked(new TextDecoder(wide).decode(begin));
  return checked(asUtf8(begin) ?? new TextDecoder("windows-1252").decode(begin));
}

function encodingByMark(bytes: Uint8Array): "utf-16le" | "utf-16be" | null {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return "utf-16le";
  return first === 0xfe && second === 0xff ? "utf-16be" : null;
}

/** Null if it is none. The last character may be cut in half. */
function asUtf8(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: true });
  } catch {
    return null;
  }
}

function checked(text: string): string | null {
  return CONTROLS.test(text.slice(0, LOOKED_AT)) ? null : text;
}
