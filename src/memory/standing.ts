/**
 * What people ask for as long as a conversation lasts: "always answer in French". A model finds most of it when it sums
 * up; what it finds counts only if a person really wrote it. Sentences that begin like a standing request are found
 * without a model. All of it stays word for word. Pure.
 */
import { senderLabel } from "../session/sender.js";
import type { Message } from "../session/transcript.js";
import { cleanLine, shorten } from "../util/text.js";

const MOST_CHARACTERS = 4_000;
const LONGEST = 500;
/** So much of a message is looked at. */
const LOOKED_AT = 20_000;

const BEGINNING =
  /^(?:please,? |and |but |so |ok,? |also,? )?(?:always|never|from now on|for the rest of|in all (?:your )?answers|in every (?:answer|reply)|whenever|every time|immer|niemals|ab jetzt|ab sofort|von jetzt an|toujours|désormais|à partir de maintenant|siempre|nunca|a partir de ahora|de ahora en adelante|sempre|d'ora in poi|a partir de agora)[ ,:]/iu;

type PersonsMessage = Extract<Message, { role: "user" }>;

/** Sentences of people that begin like a standing request. */
export function standingSentences(messages: readonly Message[]): string[] {
  const shared = isShared(messages);
  return merged(
    messages.filter(isPersons).flatMap((message) =>
      sentencesOf(message.content)
        .filter((sentence) => BEGINNING.test(sentence))
        .map((sentence) => labelled(sentence, message, shared)),
    ),
  );
}

/** Those of these quotes that a person really wrote, as they wrote them. */
export function provenQuotes(quotes: readonly string[], messages: readonly Message[]): string[] {
  const shared = isShared(messages);
  const written = messages
    .filter(isPersons)
    .map((message) => ({ message, text: cleanLine(message.content) }));
  return quotes.flatMap((quote) => {
    const words = cleanLine(quote);
    if (words.length < 4 || words.length > LONGEST) return [];
    const found = written.find(({ text }) => text.includes(words));
    return found ? [labelled(words, found.message, shared)] : [];
  });
}

/** All of them, each once, oldest first; if they are too long together, the oldest go. */
export function merged(...lists: readonly (readonly string[])[]): string[] {
  const all = [...new Set(lists.flat())];
  const within = all.filter((words) => !all.some((other) => other !== words && other.includes(words)));
  let room = MOST_CHARACTERS;
  const first = within.findLastIndex((words) => {
    room -= words.length;
    return room < 0;
  });
  return within.slice(first + 1);
}

function isPersons(message: Message): message is PersonsMessage {
  return message.role === "user" && !message.note;
}

/** If several people wrote, it matters who asked. */
function isShared(messages: readonly Message[]): boolean {
  return new Set(messages.filter(isPersons).map(({ author, name }) => author?.id ?? name ?? "")).size > 1;
}

function labelled(words: string, message: PersonsMessage, shared: boolean): string {
  return shared ? `[${senderLabel(message)}] ${words}` : words;
}

function sentencesOf(text: string): string[] {
  return text
    .slice(0, LOOKED_AT)
    .split(/(?<=[.!?。！？])\s|\n/u)
    .map((sentence) => shorten(cleanLine(sentence), LONGEST))
    .filter((sentence) => sentence !== "");
}
