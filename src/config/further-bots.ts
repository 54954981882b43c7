/**
 * The further bots that settings name: `platforms.<name>.like`. Each is registered as a platform before the settings are
 * checked, because its name, its keys and its variables follow from that.
 */
import { InputError } from "../session/errors.js";
import { platformsWithBots, registerFurtherBot } from "../session/further-bot.js";
import { isTree, type Layer, NOTHING } from "./layer.js";
import type { Mistake } from "./mistakes.js";
import type { Problem } from "./problem.js";

/** Registers those that a file names, and says which ones it can't. */
export function furtherBotsIn(content: unknown): Mistake[] {
  const platforms = isTree(content) ? content.platforms : undefined;
  if (!isTree(platforms)) return [];
  return Object.entries(platforms).flatMap(([name, written]) => {
    if (!isTree(written) || written.like === undefined) return [];
    const message = whyNot(name, written.like);
    return message === null ? [] : [{ path: ["platforms", name, "like"], message }];
  });
}

const VARIABLE = /^BATON_PLATFORMS_([A-Z0-9_]+)_LIKE$/;

/** A variable that names a further bot, rightly or wrongly. */
export function isLikeVariable(variable: string): boolean {
  return VARIABLE.test(variable);
}

/** The same for variables. A name has no `_` after its platform's, so each variable means one name. */
export function furtherBotsOf(variables: Readonly<Record<string, string | undefined>>): Layer {
  const problems = Object.entries(variables).flatMap(([variable, like]): Problem[] => {
    const [, words] = VARIABLE.exec(variable) ?? [];
    if (words === undefined || !like) return [];
    const name = words.toLowerCase().replaceAll("_", "-");
    const own = like.replaceAll("_", "-");
    const message = whyNot(name.startsWith(`${own}-`) ? like + name.slice(own.length) : name, like);
    return message === null ? [] : [{ place: { variable }, key: `platforms.${name}.like`, message }];
  });
  return { ...NOTHING, problems };
}

function whyNot(name: string, like: unknown): string | null {
  if (typeof like !== "string") return `use one of ${platformsWithBots().join(", ")}.`;
  try {
    registerFurtherBot(name, like);
    return null;
  } catch (error) {
    if (error instanceof InputError) return error.message;
    throw error;
  }
}
