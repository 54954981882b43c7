/** Reads text as Discord's client does, rule by rule where a rule applies; what calls somebody is refused. */

/** In the order in which they are tried; the group is what is shown. */
const RULES: readonly (readonly [RegExp, "read" | "as it is"])[] = [
  [/^\\([^0-9A-Za-z\s])/, "as it is"],
  [/^```(?:[\w+#.-]+\n)?\n*([^\n][\s\S]*?)\n*```/, "as it is"],
  [/^(`+)([\s\S]*?[^`])\1(?!`)/, "as it is"],
  [/^<(https?:\/\/[^\s<>]+)>/, "as it is"],
  [/^\[((?:\\[\s\S]|[^\\[\]])+)\]\(<https?:\/\/[^\s<>]+>\)/, "read"],
  [/^\*\*((?:\\[\s\S]|[^\\])+?)\*\*(?!\*)/, "read"],
  [/^__((?:\\[\s\S]|[^\\])+?)__(?!_)/, "read"],
  [/^_((?:__|\\[\s\S]|[^\\_])+?)_(?!\w)/, "read"],
  [/^\*(?=\S)((?:\*\*|\\[\s\S]|\s+(?:\\[\s\S]|[^*\s\\]|\*\*)|[^\s*\\])+?)\*(?!\*)/, "read"],
  [/^~~([\s\S]+?)~~(?!_)/, "read"],
  [/^\|\|([\s\S]+?)\|\|/, "read"],
];
const CALL = /^<(?:@[!&]?|#|a?:\w+:|t:|\/)[^>]*>/;
/** Quotes, headings, small print and lists, only where a line begins. */
const LINE = /^(?:>>> |> |#{1,3} |-# |[ \t]*(?:[-*+]|\d+\.) )/;

export function readDiscordMarkup(text: string, isTop = true): string {
  let shown = "";
  let rest = text;
  let isStart = isTop;
  while (rest !== "") {
    if (CALL.test(rest)) throw new Error(`${rest.slice(0, 40)} calls somebody.`);
    const line = isStart ? LINE.exec(rest) : null;
    const [rule, how] = RULES.find(([pattern]) => pattern.test(rest)) ?? [];
    const found = rule?.exec(rest);
    isStart = line?.[0] === "> " || (!found && rest.startsWith("\n"));
    if (found && !line) shown += how === "read" ? readDiscordMarkup(found.at(-1) ?? "", false) : found.at(-1);
    else if (!line) shown += rest[0];
    rest = rest.slice((line ?? found)?.[0].length ?? 1);
  }
  return shown;
}
