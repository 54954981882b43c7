/**
 * Text as search terms. One function makes the terms for the index of either engine, for the messages that are not
 * indexed yet, and for queries, so that all agree. Case and accents are folded. Code-like words (`chat-send`, `P2.2`)
 * become neighbouring terms, found again as a phrase; scripts without spaces give one term a character, likewise.
 */
import type { Message } from "../../session/transcript.js";

/** More than this of one message is not searchable; PostgreSQL keeps no positions beyond it. */
const MAX_TERMS = 16_000;
const MAX_TERM_LENGTH = 64;
/** Nor beyond this: a PostgreSQL vector holds a megabyte, of letters and of places. */
const MAX_BYTES = 700_000;
const BYTES_A_PLACE = 12;

/** Its repetitions have an end: without one, a word of some megabytes overflows the stack. */
const TERM =
  /[[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]&&[\p{L}\p{N}]]\p{M}{0,64}|[[\p{L}\p{N}\p{M}]--[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]]{1,1024}/gv;

export function termsOf(text: string): string[] {
  const terms: string[] = [];
  let bytes = 0;
  for (const [found] of fold(text).matchAll(TERM)) {
    const term = found.length > MAX_TERM_LENGTH ? found.slice(0, MAX_TERM_LENGTH).toWellFormed() : found;
    bytes += Buffer.byteLength(term) + BYTES_A_PLACE;
    if (terms.length === MAX_TERMS || bytes > MAX_BYTES) break;
    terms.push(term);
  }
  return terms;
}

/** Lower case, compatibility forms and accents folded. */
export function fold(text: string): string {
  if (/^[\0-\x7f]*$/.test(text)) return text.toLowerCase();
  return text
    .normalize("NFKD")
    .replace(/[\u0300-\u036f]/g, "")
    .normalize("NFKC")
    .toLowerCase();
}

/** Everything of a message that can be found: its text, tool names, and the names and arguments of tool calls. */
export function searchableText(message: Message): string {
  switch (message.role) {
    case "assistant": {
      const calls = (message.toolCalls ?? []).map(
        (call) => `${call.name} ${readableArguments(call.arguments)}`,
      );
      return [message.content, ...calls].filter(Boolean).join("\n");
    }
    case "tool":
      return [message.name, message.content].filter(Boolean).join("\n");
    default:
      return message.content;
  }
}

/** JSON without its escapes, so that words inside strings are words. */
function readableArguments(json: string): string {
  try {
    const words: string[] = [];
    collectWords(JSON.parse(json), words);
    return words.join(" ");
  } catch {
    return json;
  }
}

function collectWords(value: unknown, words: string[]): void {
  if (Array.isArray(value)) {
    for (const item of value) collectWords(item, words);
  } else if (typeof value === "object" && value !== null) {
    for (const [name, item] of Object.entries(value)) {
      words.push(name);
      collectWords(item, words);
    }
  } else if (value !== null) {
    words.push(String(value));
  }
}
