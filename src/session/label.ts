/** Makes text from outside safe inside our sentences: one line, bounded, without structure. */
import { createHash } from "node:crypto";
import { cleanLine, shorten } from "../util/text.js";

const MAX_LABEL = 240;

/** One line, at most 240 characters, with the characters that make markdown structure escaped. Never empty. */
export function label(value: string): string {
  const line = cleanLine(value).replace(
    /[\\`*[\]<>|]|~(?!\/)|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu,
    "\\$&",
  );
  return shorten(line, MAX_LABEL).replace(/(?<!\\)((?:\\\\)*)\\…$/, "$1…") || "(unnamed)";
}

/** `#` and ten digits: always the same for the same id, and the id can't be read from it. */
export function shortHash(id: string): string {
  return `#${createHash("sha256").update(id.toWellFormed()).digest("hex").slice(0, 10)}`;
}
