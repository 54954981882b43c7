/**
 * Where a result goes: `origin` (the chat of the job), `local` (only the file), `all` (every home channel), or a place as a
 * handoff names it: a platform (its home channel), the name of a home channel, or an address. Several have commas between.
 */
import { InputError } from "../session/errors.js";
import { LOCAL } from "../session/platform.js";

export interface Target {
  readonly kind: "origin" | "file" | "all" | "place";
  readonly word: string;
}

export const TARGET_FORMS = `Write \`origin\` for this chat, a platform for its home channel, the name of a home channel, \`all\` for every home channel, an address (\`platform:chat\`), \`${LOCAL}\` for a file only, or several of these with commas.`;

const MOST_TARGETS = 20;
const LONGEST_TARGET = 300;

/** Fails with a sentence that names the accepted forms. Each target is there once. */
export function parseTargets(text: string): readonly Target[] {
  const words = [...new Set(text.split(",").map((part) => part.trim()))];
  if (words.some((word) => word === "" || word.length > LONGEST_TARGET))
    throw new InputError("invalid_target", `That is not a list of places. ${TARGET_FORMS}`);
  if (words.length > MOST_TARGETS)
    throw new InputError("invalid_target", `A job can deliver to at most ${MOST_TARGETS} places.`);
  return words.map((word) => {
    const lower = word.toLowerCase();
    return {
      kind: lower === "origin" || lower === "all" ? lower : lower === LOCAL ? "file" : "place",
      word,
    };
  });
}
