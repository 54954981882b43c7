/**
 * Names in a text. Feishu puts `@_user_1` where somebody is named, and says beside the text who that is; `@_all` is
 * everybody. The bot's own name is taken out, the others become names.
 */
import { takenOut } from "../take-out.js";
import { field, listOf, textIn } from "../untrusted.js";

const PLACE = /@_(?:user_\d{1,4}|all)(?!\w)/g;
const KEY = /^@_(?:user_\d{1,4}|all)$/;
const MOST = 200;

export interface Mentions {
  /** The text with names, without the bot's own. */
  named(text: string): string;
  /** True if it names the bot. */
  readonly isNamed: boolean;
  /** The place of somebody who is named by an id. */
  placeOf(id: string): string | undefined;
}

/** `list` as events have it, with ids of several kinds, or as the API has it, with one. */
export function mentionsIn(
  list: unknown,
  self: { readonly openId: string; readonly appId: string },
): Mentions {
  const names = new Map<string, string>();
  const own = new Set<string>();
  const places = new Map<string, string>();
  for (const mention of listOf(list).slice(0, MOST)) {
    const key = textIn(mention, "key");
    const id = field(mention, "id", "open_id") ?? field(mention, "id");
    if (!key || !KEY.test(key)) continue;
    if (typeof id === "string") places.set(id, key);
    if (id === self.openId || id === self.appId) own.add(key);
    names.set(key, textIn(mention, "name") ?? key.slice(1));
  }
  return {
    named: (text) => {
      const others = own.size > 0 ? takenOut(text, new RegExp(`(?:${[...own].join("|")})(?!\\w)`)) : text;
      return others.replace(PLACE, (key) =>
        key === "@_all" ? "@all" : names.has(key) ? `@${names.get(key)}` : key,
      );
    },
    isNamed: own.size > 0,
    placeOf: (id) => places.get(id),
  };
}
