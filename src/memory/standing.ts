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
const LONGEST_QUOTE = 1_000;
/** So much of a message is looked at. */
const LOOKED_AT = 20_000;

const BEGINNING =
  /^(?:please,? |and |but |so |ok,? |also,? )?(?:always|never|from now on|for the rest of|in all (?:your )?answers|in every (?:answer|reply)|whenever|every time|immer|niemals|ab jetzt|ab sofort|von jetzt an|toujours|désormais|à partir de maintenant|siempre|nunca|a partir de ahora|de ahora en adelante|sempre|d'ora in poi|a partir de agora)[ ,:]/iu;

type PersonsMessage = Extract<Message, { role: "user" }>;

/** Sentences of people that begin like a standing request. */
export function standingSentences(messages: readonly Message[]): string[] {
  return merged(
    messages.filter(isPersons).flatMap((message) =>
      sentencesOf(message.content)
        .filter((sentence) => BEGINNING.test(sentence))
        .map((sentence) => labelled(shorten(sentence, LONGEST), message)),
    ),
  );
}

/** Of these quotes those that a person really wrote, each with the rest of its sentence: a part could mean the opposite. */
export function provenQuotes(quotes: readonly string[], messages: readonly Message[]): string[] {
  const written = messages
    .filter(isPersons)
    .map((message) => ({ message, sentences: sentencesOf(message.content) }));
  return quotes.flatMap((quote) => {
    const words = cleanLine(quote);
    if (words.length < 4) return [];
    const found = written.find(({ sentences }) => sentences.join(" ").includes(words));
    const whole = found ? sentencesWith(words, found.sentences) : "";
    return found && whole.length <= LONGEST_QUOTE ? [labelled(whole, found.message)] : [];
  });
}

/** The sentences in which the words are. */
function sentencesWith(words: string, sentences: readonly string[]): string {
  const from = sentences.join(" ").indexOf(words);
  let end = -1;
  const touched = sentences.filter((sentence) => {
    const begin = end + 1;
    end = begin + sentence.length;
    return begin < from + words.length && end > from;
  });
  return touched.join(" ");
}

/** All of them, each once, oldest first; if they are too long together, the oldest go of the person who asked for the most. */
export function merged(...lists: readonly (readonly string[])[]): string[] {
  const all = [...new Set(lists.flat())];
  const within = all.filter((words) => !all.some((other) => other !== words && other.includes(words)));
  const sizes = new Map<string, number>();
  for (const words of within) sizes.set(askerOf(words), (sizes.get(askerOf(words)) ?? 0) + words.length);
  let excess = within.reduce((sum, { length }) => sum + length, 0) - MOST_CHARACTERS;
  const gone = new Set<string>();
  while (excess > 0) {
    const [most] = [...sizes].reduce((one, other) => (other[1] > one[1] ? other : one));
    const oldest = within.find((words) => askerOf(words) === most && !gone.has(words)) ?? "";
    gone.add(oldest);
    sizes.set(most, (sizes.get(most) ?? 0) - oldest.length);
    excess -= oldest.length;
  }
  return within.filter((words) => !gone.has(words));
}

/** The label in front of it; empty if it has none. */
function askerOf(words: string): string {
  return /^\[[^\]]*\]/.exec(words)?.[0] ?? "";
}

function isPersons(message: Message): message is PersonsMessage {
  return message.role === "user" && !message.note;
}

/** It matters who asked, also where nobody else has written yet: others may join, and the conversation may move. */
function labelled(words: string, message: PersonsMessage): string {
  return message.author || message.name ? `[${senderLabel(message)}] ${words}` : words;
}

function sentencesOf(text: string): string[] {
  return text
    .slice(0, LOOKED_AT)
    .split(/(?<=[.!?。！？])\s|\n/u)
    .map(cleanLine)
    .filter((sentence) => sentence !== "");
}
