/**
 * A further bot of a platform is a platform with a name of its own: `telegram-work` beside `telegram`. It has the traits
 * of the other one, and variables of its own. All that is kept by platform is kept apart by that: keys, addresses, people,
 * home channels.
 */
import { didYouMean } from "../util/nearest.js";
import { InputError } from "./errors.js";
import { isPlatform, type Platform, platforms, platformTraits, registerPlatform } from "./platform.js";

const LONGEST = 32;

/** The platforms that can have further bots: people can set them up. */
export function platformsWithBots(): Platform[] {
  return platforms().filter((name) => {
    const { settings, like } = platformTraits(name);
    return settings !== undefined && like === undefined;
  });
}

/** The platform of which a bot of this name would be a further one; null if the name says none. */
export function platformInName(name: string): Platform | null {
  return platformsWithBots().find((platform) => name.startsWith(`${platform}-`)) ?? null;
}

/** Why there is no such platform or name is a clause without a capital, for the place where it was written. */
export function registerFurtherBot(name: string, like: Platform): void {
  const known = platformsWithBots();
  if (!known.includes(like)) throw refused(noSuchPlatform(like, known));
  const traits = platformTraits(like);
  const word = name.startsWith(`${like}-`) ? name.slice(like.length + 1) : "";
  if (!/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(word) || name.length > LONGEST) {
    throw refused(
      `the name of another ${traits.title} bot begins with "${like}-", as in ${like}-work. After that come lower-case letters, digits and dashes. At most ${LONGEST} characters.`,
    );
  }
  if (isPlatform(name)) {
    if (platformTraits(name).like === like) return; // It was read before.
    throw refused(`"${name}" is a platform itself. Choose another name.`);
  }
  const settings = Object.fromEntries(
    Object.entries(traits.settings ?? {}).map(([key, { variable: _, ...setting }]) => [key, setting]),
  );
  registerPlatform(name, { ...traits, title: `${traits.title} (${word})`, settings, like });
}

function noSuchPlatform(like: string, known: readonly Platform[]): string {
  const shown = JSON.stringify(like.slice(0, LONGEST));
  const first = isPlatform(like) ? platformTraits(like).like : undefined;
  if (first !== undefined) return `${shown} is itself like "${first}". Write "like: ${first}".`;
  const meant = didYouMean(like, known) || ` Use one of ${known.join(", ")}.`;
  return `there can be no further bot of ${shown}.${meant}`;
}

function refused(why: string): InputError {
  return new InputError("invalid_platform", why);
}
