/** Reads HTML as strictly as Telegram's documentation has it: what is not well-formed, or nested as it may not be, is refused. */

const TAGS = new Set(["b", "i", "s", "code", "pre", "a", "blockquote"]);
const ENTITIES: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"' };
const ATTRIBUTES: Readonly<Record<string, RegExp>> = {
  a: /^ href="https?:\/\/[^"<>\s]+"$/i,
  code: /^(?: class="language-[\w+#.-]+")?$/,
};

export interface Read {
  /** What people see, and what counts. */
  readonly text: string;
  /** The same with the addresses behind its words. */
  readonly withLinks: string;
}

export function readTelegramHtml(html: string): Read {
  const open: string[] = [];
  let [text, withLinks, url] = ["", "", ""];
  const add = (characters: string): void => {
    text += characters;
    withLinks += characters;
  };
  for (const [token] of html.matchAll(/<[^>]*>|&[^;]*;|[^<&]+|[<&]/g)) {
    if (token.startsWith("&") && token.length > 1) add(entity(token));
    else if (token.startsWith("<") && token.length > 1) {
      nest(open, token);
      if (token === "</a>" && !text.endsWith(url)) withLinks += ` (${url})`;
      url = /^<a href="(.*)">$/.exec(token)?.[1] ?? url;
    } else if (/[<>&"]/.test(token)) throw new Error(`${JSON.stringify(token)} is not escaped`);
    else add(token);
  }
  if (open.length > 0) throw new Error(`<${open.at(-1)}> is not closed`);
  return { text, withLinks };
}

/** The names that Telegram makes mentions of: in code and in links it makes none. */
export function namesIn(html: string): readonly string[] {
  const open = html.replace(/<(pre|code|a)\b[^>]*>[\s\S]*?<\/\1>/g, " ");
  return readTelegramHtml(open).text.match(/(?<!\w)@\w{4,}/g) ?? [];
}

function entity(token: string): string {
  const character = ENTITIES[token.slice(1, -1)];
  if (character === undefined) throw new Error(`${token} is unknown`);
  return character;
}

function nest(open: string[], token: string): void {
  const [, slash = "", name = "", attributes = ""] = /^<(\/?)([a-z]+)(.*)>$/s.exec(token) ?? [];
  if (!TAGS.has(name)) throw new Error(`${token} is no tag`);
  if (slash) {
    if (open.pop() !== name || attributes !== "") throw new Error(`${token} closes nothing`);
    return;
  }
  if (!(ATTRIBUTES[name] ?? /^$/).test(attributes)) throw new Error(`${token} has odd attributes`);
  const around = open.at(-1);
  const isCodeOfPre = name === "code" && around === "pre";
  if ((around === "pre" || around === "code") && !isCodeOfPre) throw new Error(`${token} in <${around}>`);
  if (attributes.includes("class") && !isCodeOfPre) throw new Error("a language outside of <pre>");
  if ((name === "a" || name === "blockquote") && open.includes(name)) throw new Error(`${token} in another`);
  open.push(name);
}
