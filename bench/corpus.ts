/** Invented conversations, the same on every run: sources, messages, and words that occur as often as we say. */
import type { SessionSource } from "./baton.js";

/** How often each of these stands in a message. */
export const WORDS = { rare: "quetzal", hundredth: "marmalade", most: "gateway" } as const;

const SYLLABLES = ["ba", "do", "fe", "gi", "ku", "la", "mo", "ne", "pi", "ru", "sa", "to", "vi", "we", "zo"];
const VOCABULARY = 3_000;
const MESSAGE_WORDS = 30;

/** A message's text, with few words that are common and many that are not. */
export function textOf(random: () => number, place: number, places: number): string {
  const words = Array.from({ length: MESSAGE_WORDS }, () => wordAt(Math.floor(random() ** 3 * VOCABULARY)));
  if (random() < 0.6) words[3] = WORDS.most;
  if (place % 100 === 50) words[5] = WORDS.hundredth;
  if (place % Math.ceil(places / 5) === 7) words[7] = WORDS.rare;
  return words.join(" ");
}

function wordAt(index: number): string {
  let rest = index + SYLLABLES.length;
  let word = "";
  while (rest > 0) {
    word += SYLLABLES[rest % SYLLABLES.length];
    rest = Math.floor(rest / SYLLABLES.length);
  }
  return word;
}

/** The chat of the session with this number. */
export function sourceOf(number: number): SessionSource {
  const platform = number % 3 === 0 ? "discord" : "telegram";
  return {
    platform,
    chatId: `chat${number}`,
    chatType: "dm",
    userId: `user${number}`,
    userName: `Person ${number}`,
  };
}

/** Those who have few of all sessions: a person, and a platform. */
export const FEW: { readonly person: SessionSource; readonly platform: string } = {
  person: { platform: "telegram", chatId: "few", chatType: "dm", userId: "few", userName: "Few" },
  platform: "matrix",
};
