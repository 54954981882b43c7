/** The filters of a search as people and models write them, read in one way. */
import { MOMENT_FORMS, momentIn } from "../util/moment.js";
import { didYouMean } from "../util/nearest.js";
import { cleanLine, shorten } from "../util/text.js";
import { InputError } from "./errors.js";
import { isPlatform, platforms } from "./platform.js";
import type { SearchOptions } from "./store.js";
import { MESSAGE_ROLES } from "./transcript.js";

/** Each as it was written; roles may be several, with commas. */
export interface WrittenFilters {
  readonly platform?: string;
  readonly role?: string;
  readonly after?: string;
  readonly before?: string;
}

type SearchFilters = Pick<SearchOptions, "platform" | "role" | "after" | "before">;

/** Throws a sentence that says what can be written instead. */
export async function readFilters(
  { platform, role, after, before }: WrittenFilters,
  { timeZone, now }: { readonly timeZone: string; readonly now: number },
): Promise<SearchFilters> {
  const momentOf = async (name: string, text: string): Promise<number> => {
    const at = await momentIn(text, timeZone, now);
    if (at !== null) return at;
    throw wrong(`${shown(text)} is not a date for "${name}". Use ${MOMENT_FORMS}.`);
  };
  return {
    ...(platform === undefined ? {} : { platform: platformOf(platform) }),
    ...(role === undefined ? {} : { role: rolesOf(role) }),
    ...(after === undefined ? {} : { after: await momentOf("after", after) }),
    ...(before === undefined ? {} : { before: await momentOf("before", before) }),
  };
}

function platformOf(text: string): string {
  const name = text.trim().toLowerCase();
  if (isPlatform(name)) return name;
  const known = platforms();
  const cure = didYouMean(name, known) || ` Use one of ${known.join(", ")}.`;
  throw wrong(`There is no platform ${shown(text)}.${cure}`);
}

function rolesOf(text: string): NonNullable<SearchOptions["role"]> {
  const names = text.toLowerCase().split(",", 10);
  return names.map((name) => {
    const role = MESSAGE_ROLES.find((each) => each === name.trim());
    if (role) return role;
    throw wrong(`There is no role ${shown(name)}. Use ${MESSAGE_ROLES.join(", ")}, or several with commas.`);
  });
}

function wrong(sentence: string): InputError {
  return new InputError("invalid_search", sentence);
}

function shown(text: string): string {
  return JSON.stringify(shorten(cleanLine(text), 40));
}
