/** Reads text as WhatsApp shows it: marks beside words, quotes and lists at the beginning of a line, addresses as they are. */
import { withoutMarks } from "./word-marks.js";

const ADDRESS = /https?:\/\/[^\s`]*[^\s`)]/g;

export function readWhatsAppMarkup(text: string): string {
  const lines = text
    .split(/(```[\s\S]*?```)/)
    .map((part, n) => (n % 2 === 1 ? part : part.replace(/^(?:[ \t]*(?:> ?|[-*] (?=\S)))+/gm, "")))
    .join("");
  return withoutMarks(lines, ADDRESS, ([url]) => url ?? "");
}
