/** Reads HTML as the Matrix specification lets clients show it: other tags, attributes and schemes are refused. */

const TAG = /<(\/?)([a-z0-9]+)((?: [a-z]+="[^"<>]*")*)>/g;
const VOID = new Set(["br", "hr"]);
const INLINE = new Set(["strong", "em", "del", "code", "a", "sup"]);
const BLOCKS = new Set(["p", "h1", "h2", "h3", "h4", "h5", "h6", "pre", "blockquote", "ul", "ol", "li"]);
const TABLES = new Set(["table", "thead", "tbody", "tr", "th", "td"]);
const ATTRIBUTES: Readonly<Record<string, RegExp>> = {
  a: /^ href="(?:https?|mailto|ftp|magnet):[^"]*"$/i,
  code: /^(?: class="language-[^" ]+")?$/,
  ol: /^(?: start="\d+")?$/,
};
const ENTITIES: Readonly<Record<string, string>> = { "&lt;": "<", "&gt;": ">", "&amp;": "&", "&quot;": '"' };

/** The text that is left, blocks on lines of their own. */
export function readMatrixHtml(html: string): string {
  const open: string[] = [];
  for (const [tag, closing, name = "", attributes = ""] of html.matchAll(TAG)) {
    if (![VOID, INLINE, BLOCKS, TABLES].some((known) => known.has(name)))
      throw new Error(`${tag} is not allowed.`);
    if (closing) {
      if (open.pop() !== name || attributes !== "") throw new Error(`${tag} closes nothing.`);
      continue;
    }
    if (!(ATTRIBUTES[name] ?? /^$/).test(attributes)) throw new Error(`${tag} has odd attributes.`);
    if (name === "a" && open.includes("a")) throw new Error("A link is in a link.");
    if (BLOCKS.has(name) && open.some((each) => INLINE.has(each)))
      throw new Error(`${tag} is within a line.`);
    if (!VOID.has(name)) open.push(name);
  }
  if (open.length > 0) throw new Error(`<${open.at(-1)}> stays open.`);
  const text = html.replace(TAG, (_, __, name: string) =>
    INLINE.has(name) ? "" : name === "hr" ? "\n———\n" : "\n",
  );
  if (/[<>]|&(?!(?:amp|lt|gt|quot);)/.test(text)) throw new Error("Something is not escaped.");
  return text.replace(/&(?:lt|gt|amp|quot);/g, (entity) => ENTITIES[entity] ?? "");
}
