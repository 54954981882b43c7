/** Makes text from outside safe to store, to print and to cut. */

/** ANSI/VT sequences: CSI, OSC, DCS, PM, APC, SOS (ended by BEL or ST, or unended), and two-byte escapes. */
const ESCAPE_SEQUENCES =
  /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]?|(?:\u001b[\]PX^_]|[\u0090\u0098\u009d-\u009f])[^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c)?|\u001b[ -/]*[0-~]?/g;

/** Controls, bidi marks, zero-width, tag and other invisible characters, line and paragraph separators. */
const INVISIBLE = /[\p{Cc}\p{Default_Ignorable_Code_Point}\u2028\u2029\ufff9-\ufffb]/gu;

/** Text that databases and models both keep: well-formed Unicode without NUL. */
export function storableText(text: string): string {
  return text.toWellFormed().replaceAll("\0", "\ufffd");
}

/** One line: breaks and tabs become spaces, escape sequences and invisible characters go, spaces are folded. */
export function cleanLine(text: string): string {
  return text
    .toWellFormed()
    .replace(ESCAPE_SEQUENCES, "")
    .replace(/[\t\n\v\f\r\u0085\u2028\u2029]+/g, " ")
    .replace(INVISIBLE, "")
    .replace(/\s+/g, " ")
    .trim();
}

/** Without escape sequences, controls and bidi marks; breaks, tabs and joiners stay. */
export function withoutControls(text: string): string {
  return text
    .toWellFormed()
    .replace(ESCAPE_SEQUENCES, "")
    .replace(
      /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u0084\u0086-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e0fff}]/gu,
      "",
    );
}

/** Several lines fit for a terminal. */
export function printableText(text: string): string {
  return withPlainBreaks(withoutControls(text));
}

/** Every line break becomes `\n`. A carriage return breaks the line, too, unless the line has just begun. */
export function withPlainBreaks(text: string): string {
  return text.replace(/([\n\u0085\u2028\u2029])\r+/g, "$1").replace(/\r\n?|[\u0085\u2028\u2029]/g, "\n");
}

/** An address without slashes at its end. */
export function withoutSlashes(url: string): string {
  let end = url.length;
  while (url[end - 1] === "/") end -= 1;
  return url.slice(0, end);
}

/** Created on first use: that takes longer than everything else in this file. */
let segmenter: Intl.Segmenter | undefined;

/** Text as people see it, character by character. */
export function graphemes(): Intl.Segmenter {
  segmenter ??= new Intl.Segmenter("und", { granularity: "grapheme" });
  return segmenter;
}

/** At most `max` UTF-16 units, cut between graphemes, with an ellipsis if something is missing. */
export function shorten(text: string, max: number): string {
  if (text.length <= max) return text;
  const cut =
    graphemes()
      .segment(text.slice(0, max + 64))
      .containing(max - 1)?.index ?? 0;
  return `${text.slice(0, cut)}…`;
}
