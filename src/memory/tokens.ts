/**
 * About how many tokens a text or a message has. An estimate: a session learns by what ratio its model counts
 * differently, from the usage that the provider reports.
 */
import { estimateTokenCount } from "tokenx";
import type { Message } from "../session/transcript.js";

/** Of a longer text, this much of its beginning and of its end is looked at: so a huge one takes no longer. */
const SAMPLE = 32_768;
/** Blanks count as nothing in an estimate, but every model counts some of them. */
const CHARACTERS_A_TOKEN = 24;
/** What a message takes besides its words. */
const MESSAGE = 6;
const IMAGE = 1_500;

export function tokensOfText(text: string): number {
  const least = text.length / CHARACTERS_A_TOKEN;
  if (text.length <= 2 * SAMPLE) return Math.ceil(Math.max(least, estimateTokenCount(text)));
  const seen = estimateTokenCount(text.slice(0, SAMPLE)) + estimateTokenCount(text.slice(-SAMPLE));
  return Math.ceil(Math.max(least, (seen * text.length) / (2 * SAMPLE)));
}

/** Messages are the same objects from turn to turn, so each is counted once. */
const COUNTED = new WeakMap<Message, number>();

export function tokensOf(message: Message): number {
  const known = COUNTED.get(message);
  if (known !== undefined) return known;
  const tokens = MESSAGE + tokensOfText(message.content) + besidesText(message);
  COUNTED.set(message, tokens);
  return tokens;
}

export function tokensOfAll(messages: readonly Message[]): number {
  return messages.reduce((sum, message) => sum + tokensOf(message), 0);
}

function besidesText(message: Message): number {
  switch (message.role) {
    case "assistant":
      return (message.toolCalls ?? []).reduce(
        (sum, { name, arguments: json }) => sum + MESSAGE + tokensOfText(name) + tokensOfText(json),
        0,
      );
    case "user":
      return (message.attachments ?? []).reduce(
        (sum, { mediaType, text = "", voice }) =>
          sum + (mediaType.startsWith("image/") ? IMAGE : 0) + (voice ? 0 : tokensOfText(text)),
        0,
      );
    default:
      return 0;
  }
}
